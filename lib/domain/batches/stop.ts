import type { Batch } from "@/lib/contract/batches";
import { conflict, notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { presentBatch, shownWith } from "./present";
import { lockBatch, reopenUndo, stopOpen } from "./rows";

/** Stops a batch after the part that is being worked. What an undo did not reach can be undone again. Throws 404, 409 when it is done or stopped. */
export async function stop(ctx: Ctx, id: string): Promise<Batch> {
  return commit(ctx, async (tx) => {
    if (!(await lockBatch(ctx, tx, id))) throw notFound();
    const row = await stopOpen(ctx, tx, id);
    if (!row) throw conflict("This batch is already done or stopped.");
    if (row.done < row.total) await reopenUndo(ctx, tx, row);
    return presentBatch(row, await shownWith(ctx, [row], tx));
  });
}
