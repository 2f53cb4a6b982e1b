import type { Batch } from "@/lib/contract/batches";
import { batchLimits } from "@/lib/contract/batch-values";

/** Whether a batch still has work, and was not stopped. */
export const isOpen = ({ status }: Pick<Batch, "status">): boolean =>
  status === "waiting" || status === "running";

/** How many days an extension adds; null where it gives one expiry to all. */
export const daysOf = ({
  extendDays,
  postponeDays,
}: {
  extendDays: number | null;
  postponeDays: number | null;
}): number | null => postponeDays ?? extendDays;

/** Whether a batch may be undone now. `nowMs`: the database's clock. */
export function canUndo(
  row: Pick<Batch, "action" | "status" | "changed"> & {
    undoOf: string | null;
    undoneBy: string | null;
    createdAt: string;
    finishedAt: string | null;
  },
  nowMs: number,
): boolean {
  const undoable: Record<Batch["action"], boolean> = {
    cancel: true,
    extend: true,
    import: true,
    remind: false,
    send: false,
    undo: false,
  };
  return (
    undoable[row.action] &&
    row.undoOf === null &&
    row.undoneBy === null &&
    (row.changed > 0 || isOpen(row)) &&
    nowMs - Date.parse(row.finishedAt ?? row.createdAt) < batchLimits.keptDays * 86_400_000
  );
}
