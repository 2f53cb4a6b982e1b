"use client";

import { FastForward } from "lucide-react";
import { useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import {
  advanceTestClock,
  cancelTestClockAdvance,
  getOverview,
  getTestClock,
  listMails,
  listPaymentLinks,
  listPayments,
  listSubscriptions,
} from "@/lib/contract/operations";
import type { TestClock } from "@/lib/contract/test-clocks";
import type { TimelineEntry } from "@/lib/contract/timeline";

type ClockCardProps = {
  clockId: string;
  /** What follows the clock. */
  noun: string;
  /** Nothing comes due for it any more. */
  over: boolean;
  /** Moments to go to at once, where they are still to come. */
  moments: ReadonlyArray<{ label: string; at: string | null }>;
  timeline: TimelineEntry[] | undefined;
};

const FOLLOW_MS = 1_000;
const dayMs = 86_400_000;

/** The moment so many months or days after another, of UTC. */
function later(from: string, months: number, days = 0): string {
  const moment = new Date(Date.parse(from) + days * dayMs);
  const day = moment.getUTCDate();
  moment.setUTCMonth(moment.getUTCMonth() + months);
  // 31 January and a month is the end of February, not the beginning of March.
  if (moment.getUTCDate() !== day) moment.setUTCDate(0);
  return moment.toISOString();
}

const same = (entry: TimelineEntry) =>
  `${entry.at} ${entry.kind} ${entry.event_id ?? entry.payment_id ?? entry.mail_id ?? ""}`;

/** Lets time pass for a record under a test clock, and tells what came of it. */
export function ClockCard({ clockId, noun, over, moments, timeline }: ClockCardProps) {
  const { may } = useMembership();
  const [following, setFollowing] = useState(false);
  const clock = useEndpoint(
    getTestClock,
    { params: { test_clock_id: clockId } },
    following ? { every: FOLLOW_MS } : {},
  );
  const before = useRef<ReadonlySet<string> | null>(null);
  const [known, setKnown] = useState<ReadonlySet<string> | null>(null);
  const advance = useAction(advanceTestClock, {
    invalidates: [listSubscriptions, listPaymentLinks, listPayments, listMails, getOverview],
    // Only after a success: otherwise it is not known what came due.
    onSuccess: () => setKnown(before.current),
  });
  const cancel = useAction(cancelTestClockAdvance, {
    invalidates: [listSubscriptions, listPaymentLinks, listPayments, listMails, getOverview],
  });
  const status = clock.data?.status;
  const advancing = advance.busy || status === "advancing";
  if (following !== advancing) setFollowing(advancing);
  const now = clock.data?.now;
  const steps = now
    ? [
        ...moments.flatMap(({ label, at }) => (at && at > now ? [{ label, to: at }] : [])),
        { label: "A day", to: later(now, 0, 1) },
        { label: "A week", to: later(now, 0, 7) },
        { label: "A month", to: later(now, 1) },
        { label: "A year", to: later(now, 12) },
      ]
    : [];
  const go = (to: string) => {
    before.current = timeline ? new Set(timeline.map(same)) : null;
    setKnown(null);
    advance.run({ params: { test_clock_id: clockId }, body: { to } });
  };
  const happened = known
    ? (timeline ?? []).filter((entry) => !known.has(same(entry))).reverse()
    : [];
  return (
    <Card
      title="Test clock"
      description={`This ${noun} follows a test clock. Let time pass and see what comes due.`}
    >
      {clock.isPending ? (
        <Loading label="Loading the clock">
          <Skeleton className="w-1/3" />
        </Loading>
      ) : clock.error && !clock.data ? (
        clock.error.status === 404 ? (
          <p className="text-muted">The clock was deleted.</p>
        ) : (
          <ErrorState error={clock.error} retry={() => void clock.refetch()} />
        )
      ) : (
        <>
          <p className="text-lead font-semibold">
            <Time value={now} />
          </p>
          {clock.data && status !== "ready" ? (
            <Progress
              clock={clock.data}
              resume={may(advanceTestClock) ? go : undefined}
              cancel={
                may(cancelTestClockAdvance)
                  ? () => cancel.run({ params: { test_clock_id: clockId } })
                  : undefined
              }
              cancelling={cancel.busy}
            />
          ) : may(advanceTestClock) && !over ? (
            <div className="mt-3 flex flex-wrap gap-2">
              {steps.map(({ label, to }) => (
                <Button key={label} size="small" busy={advance.busy} onClick={() => go(to)}>
                  <FastForward aria-hidden="true" className="size-3.5" />
                  {label}
                </Button>
              ))}
            </div>
          ) : null}
          <div role="status">{known && !advancing ? <Happened entries={happened} /> : null}</div>
        </>
      )}
    </Card>
  );
}

type ProgressProps = {
  clock: TestClock;
  resume: ((to: string) => void) | undefined;
  cancel: (() => void) | undefined;
  cancelling: boolean;
};

function Progress({ clock, resume, cancel, cancelling }: ProgressProps) {
  const { advancing_to: to, progress } = clock;
  return (
    <div className="mt-3 grid gap-2">
      <p className="text-muted">
        {clock.status === "paused" ? "Paused after 10,000 steps on the way to " : "Advancing to "}
        <Time value={to ?? clock.now} />
      </p>
      <progress
        aria-label="Progress of the advance"
        className="w-full"
        max={100}
        value={progress ?? 0}
      >
        {progress ?? 0}%
      </progress>
      <div className="flex flex-wrap gap-2">
        {clock.status === "paused" && resume && to ? (
          <Button size="small" onClick={() => resume(to)}>
            <FastForward aria-hidden="true" className="size-3.5" />
            Continue
          </Button>
        ) : null}
        {cancel ? (
          <Button size="small" busy={cancelling} onClick={cancel}>
            Cancel advance
          </Button>
        ) : null}
      </div>
    </div>
  );
}

function Happened({ entries }: { entries: readonly TimelineEntry[] }) {
  if (entries.length === 0) return <p className="mt-4 text-muted">Nothing came due on the way.</p>;
  return (
    <div className="mt-4 rounded-control bg-sunken p-4 ring-1 ring-line ring-inset">
      <h3 className="mb-2 font-medium">What happened on the way</h3>
      <ol className="grid gap-1">
        {entries.map((entry) => (
          <li key={same(entry)} className="flex flex-wrap items-baseline justify-between gap-x-4">
            <span>{entry.title}</span>
            <Time value={entry.at} className="text-fine whitespace-nowrap text-muted" />
          </li>
        ))}
      </ol>
    </div>
  );
}
