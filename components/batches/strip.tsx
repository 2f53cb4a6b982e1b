"use client";

import { RecordLink } from "@/components/record/record-link";
import { Button } from "@/components/ui/button";
import { useAction } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import type { Batch } from "@/lib/contract/batches";
import { stopBatch } from "@/lib/contract/operations";
import { useNow } from "@/lib/client/use-now";
import { useEnding, useOpenBatches } from "./use-batches";
import { doing, openBatches } from "./words";

const row =
  "flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-line bg-surface px-5 py-3 shadow-float";
const bar = "w-40 max-sm:order-last max-sm:w-full";

/** The strip lies above the list: more of them would hide it on a phone. */
const SHOWN = 2;

/**
 * The newest batches that wait or run, with how far they are and a way to stop them, and how many more there are. A reload finds them again. The
 * one that is `expected` has its place from the beginning: what lies beside it would move under a press.
 */
export function BatchStrip({ expected }: { expected?: Pick<Batch, "_id" | "action" | "total"> }) {
  const { open, ending, known } = useOpenBatches(expected?._id);
  return (
    <>
      {ending.map((id) => (
        <Ending key={id} id={id} />
      ))}
      {expected && !known ? (
        <Coming {...expected} />
      ) : open.length > 0 ? (
        <ul aria-label="Changes under way" className="grid gap-2">
          {open.slice(0, SHOWN).map((batch) => (
            <Running key={batch._id} batch={batch} />
          ))}
          {open.length > SHOWN ? (
            <li className={row}>
              <RecordLink to="/payment-links/batches?open=true" text={more(open.length)} />
            </li>
          ) : null}
        </ul>
      ) : null}
    </>
  );
}

/** How many are not shown; where not all were read, no number. */
function more(open: number): string {
  if (open === openBatches.per_page) return "More changes under way";
  return open === SHOWN + 1 ? "1 more change under way" : `${open - SHOWN} more changes under way`;
}

function Ending({ id }: { id: string }) {
  useEnding(id);
  return null;
}

/** The place of a batch that is not read yet. */
function Coming(batch: Pick<Batch, "action" | "total">) {
  return (
    <div className={row}>
      <p className="min-w-0 flex-1">
        <span className="font-medium">{doing(batch)}</span>{" "}
        <span className="text-muted">Starts in 30 s</span>
      </p>
      <progress className={`${bar} invisible`} />
      <Button size="small" className="invisible">
        Stop
      </Button>
    </div>
  );
}

function Running({ batch }: { batch: Batch }) {
  const { may } = useMembership();
  const { run: stop, busy } = useAction(stopBatch);
  const now = useNow(1_000);
  const seconds = Math.ceil((Date.parse(batch.starts_at) - now) / 1_000);
  const waits = batch.status === "waiting" && seconds > 0;
  return (
    <li className={row}>
      <p className="min-w-0 flex-1" role="status">
        <span className="font-medium">{doing(batch)}</span>{" "}
        <span className="text-muted">
          {waits
            ? `Starts in ${seconds} s`
            : `${batch.done.toLocaleString("en-GB")} of ${batch.total.toLocaleString("en-GB")}`}
        </span>
      </p>
      <progress aria-label={doing(batch)} value={batch.done} max={batch.total} className={bar} />
      {may(stopBatch) ? (
        <Button size="small" busy={busy} onClick={() => stop({ params: { batch_id: batch._id } })}>
          Stop
        </Button>
      ) : null}
    </li>
  );
}
