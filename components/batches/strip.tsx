"use client";

import { Button } from "@/components/ui/button";
import { useAction } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import type { Batch } from "@/lib/contract/batches";
import { stopBatch } from "@/lib/contract/operations";
import { useNow } from "@/lib/client/use-now";
import { useOpenBatches } from "./use-batches";
import { doing } from "./words";

/** The batches that wait or run, with how far they are and a way to stop them. A reload finds them again. */
export function BatchStrip() {
  const open = useOpenBatches();
  if (open.length === 0) return null;
  return (
    <ul aria-label="Changes under way" className="grid gap-2">
      {open.map((batch) => (
        <Running key={batch._id} batch={batch} />
      ))}
    </ul>
  );
}

function Running({ batch }: { batch: Batch }) {
  const { may } = useMembership();
  const { run: stop, busy } = useAction(stopBatch);
  const now = useNow(1_000);
  const seconds = Math.ceil((Date.parse(batch.starts_at) - now) / 1_000);
  const waits = batch.status === "waiting" && seconds > 0;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-line bg-surface px-5 py-3 shadow-float">
      <p className="min-w-0 flex-1" role="status">
        <span className="font-medium">{doing(batch)}</span>{" "}
        <span className="text-muted">
          {waits
            ? `Starts in ${seconds} s`
            : `${batch.done.toLocaleString("en-GB")} of ${batch.total.toLocaleString("en-GB")}`}
        </span>
      </p>
      <progress
        aria-label={doing(batch)}
        value={batch.done}
        max={batch.total}
        className="w-40 max-sm:order-last max-sm:w-full"
      />
      {may(stopBatch) ? (
        <Button size="small" busy={busy} onClick={() => stop({ params: { batch_id: batch._id } })}>
          Stop
        </Button>
      ) : null}
    </li>
  );
}
