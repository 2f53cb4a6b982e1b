"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { cx } from "@/components/ui/cx";
import { ErrorState } from "@/components/ui/error-state";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { useInBrowser } from "@/lib/client/use-in-browser";
import type { ApiProblem } from "@/lib/client/problem";
import type { TimelineEntry } from "@/lib/contract/timeline";
import { actorName, fieldLabel, hasWords, shownValue, withCurrencies } from "./changes";

const MAX_ENTRIES = 12;

/** What happened to a record, newest first: when, who or what did it, and what it changed. `currency` is the record's now. */
export function TimelineCard({
  answer,
  currency,
}: {
  answer: UseQueryResult<TimelineEntry[], ApiProblem>;
  currency: string;
}) {
  const [all, setAll] = useState(false);
  const entries = withCurrencies(answer.data ?? [], currency);
  return (
    <Card title="Timeline">
      {answer.isPending ? (
        <Loading label="Loading the timeline">
          <div className="grid gap-3">
            <Skeleton className="w-2/3" />
            <Skeleton className="w-1/2" />
            <Skeleton className="w-3/5" />
          </div>
        </Loading>
      ) : answer.error && !answer.data ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : entries.length === 0 ? (
        <p className="text-muted">No entries yet.</p>
      ) : (
        <ol aria-label="Timeline">
          {(all ? entries : entries.slice(0, MAX_ENTRIES)).map(({ entry, before, after }) => (
            <Entry
              key={`${entry.at} ${entry.kind} ${entry.event_id ?? entry.payment_id ?? entry.mail_id ?? ""}`}
              entry={entry}
              before={before}
              after={after}
            />
          ))}
        </ol>
      )}
      {entries.length > MAX_ENTRIES && !all ? (
        <Button size="small" onClick={() => setAll(true)} className="mt-3">
          Show all {entries.length}
        </Button>
      ) : null}
    </Card>
  );
}

const tones: readonly [RegExp, string][] = [
  [/\.(paid|succeeded|activated)$|^mail\.sent$/, "bg-good"],
  [/\.(failed|disputed|halted)$/, "bg-bad"],
  [/\.(past_due|pending|unknown|queued)$/, "bg-warn"],
  [/\.(deleted|cancelled|expired|revoked|kept)$/, "bg-edge"],
];

function Entry({ entry, before, after }: { entry: TimelineEntry; before: string; after: string }) {
  // As in Time: the server knows no zone of the viewer, and both must draw the same at first.
  const zone = useInBrowser() ? undefined : "UTC";
  const tone = tones.find(([pattern]) => pattern.test(entry.kind))?.[1] ?? "bg-accent";
  return (
    <li className="relative pb-4 pl-6 last:pb-0 before:absolute before:top-3 before:bottom-[-0.375rem] before:left-[4.5px] before:w-px before:bg-line last:before:hidden">
      <span
        aria-hidden="true"
        className={cx("absolute top-1.5 left-0 size-2.5 rounded-full ring-3 ring-surface", tone)}
      />
      <div className="sm:flex sm:items-baseline sm:justify-between sm:gap-4">
        <p className="min-w-0">
          <span className="font-medium">{entry.title}</span>
          {hasWords(entry.title, actorName(entry.actor)) ? null : (
            <span className="text-muted"> · {actorName(entry.actor)}</span>
          )}
        </p>
        <Time value={entry.at} className="text-fine whitespace-nowrap text-muted" />
      </div>
      {entry.changes.length > 0 ? (
        <ul className="mt-1 grid gap-0.5 text-fine">
          {entry.changes.map((change) => (
            <li key={change.field}>
              <span className="text-muted">{fieldLabel(change.field)}:</span>{" "}
              <del className="text-muted">
                {shownValue(change.field, change.before, before, zone)}
              </del>{" "}
              <span aria-hidden="true" className="text-muted">
                →
              </span>{" "}
              <ins className="font-medium no-underline">
                {shownValue(change.field, change.after, after, zone)}
              </ins>
            </li>
          ))}
        </ul>
      ) : null}
    </li>
  );
}
