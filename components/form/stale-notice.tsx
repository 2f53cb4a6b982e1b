"use client";

import { useEffect, useRef } from "react";
import { actorName, fieldLabel, shownValue } from "@/components/record/changes";
import { Button } from "@/components/ui/button";
import { Time } from "@/components/ui/time";
import type { FieldChange, Stale } from "./edits";

const currencyOf = (record: Record<string, unknown>) =>
  String(record.currency ?? record.default_currency ?? "");

/** Says what others have saved since the form was opened, and asks which values count. */
export function StaleNotice({
  stale,
  labels,
  busy,
}: {
  stale: Stale;
  labels: ReadonlyMap<string, string>;
  busy: boolean;
}) {
  const { changes, by, at, refused, takeOver, keepMine } = stale;
  const box = useRef<HTMLElement>(null);
  // A refused save must not stay unseen below a long form.
  useEffect(() => {
    if (refused) box.current?.focus();
  }, [refused]);
  const who = by ? actorName(by) : "Someone else";
  return (
    <section
      ref={box}
      tabIndex={-1}
      role={refused ? "alert" : "status"}
      aria-label="Changed since you opened this form"
      className="rounded-control bg-warn-soft px-4 py-3"
    >
      <p className="font-medium">
        {refused ? "Not saved. " : ""}
        {who} changed this while you had it open
        {at ? (
          <>
            {" "}
            (<Time value={at} />)
          </>
        ) : null}
        .
      </p>
      {changes.length > 0 ? (
        <ul className="mt-1 grid gap-0.5">
          {changes.map((change) => (
            <Line key={change.name} change={change} stale={stale} labels={labels} />
          ))}
        </ul>
      ) : (
        <p className="mt-1">None of the fields here changed.</p>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button size="small" onClick={takeOver} disabled={busy}>
          Use their changes
        </Button>
        <Button size="small" onClick={keepMine} disabled={busy}>
          {refused ? "Save mine instead" : "Keep mine"}
        </Button>
      </div>
      <p className="mt-2 text-fine text-muted">
        “Use their changes” keeps everything else that you typed.
      </p>
    </section>
  );
}

function Line({
  change: { name, before, after, ...own },
  stale: { began, now },
  labels,
}: {
  change: FieldChange;
  stale: Stale;
  labels: ReadonlyMap<string, string>;
}) {
  return (
    <li>
      <span className="text-muted">{labels.get(name) ?? fieldLabel(name)}:</span>{" "}
      <del className="text-muted">{shownValue(name, before, currencyOf(began))}</del>{" "}
      <span aria-hidden="true" className="text-muted">
        →
      </span>{" "}
      <ins className="font-medium no-underline">{shownValue(name, after, currencyOf(now))}</ins>
      {"mine" in own ? (
        <span className="text-muted">
          {" "}
          (you wrote {shownValue(name, own.mine, currencyOf(now))})
        </span>
      ) : null}
    </li>
  );
}
