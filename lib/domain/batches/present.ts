import { databaseNow } from "@/db/now";
import type { Executor } from "@/db/client";
import type { Batch } from "@/lib/contract/batches";
import { named } from "../actors/named";
import { namesOf } from "../actors/rows";
import type { Ctx } from "../context";
import type { BatchRow } from "./rows";
import { canUndo, daysOf } from "./rules";

/** What presenting batches needs besides their rows. */
export async function shownWith(ctx: Ctx, rows: readonly BatchRow[], on?: Executor) {
  const names = await namesOf(
    ctx,
    rows.map(({ startedBy }) => startedBy),
    on,
  );
  return { names, now: await databaseNow(on) };
}

/** A batch as the API answers it. */
export function presentBatch(
  row: BatchRow,
  { names, now }: Awaited<ReturnType<typeof shownWith>>,
): Batch {
  return {
    _id: row.id,
    action: row.action,
    status: row.status,
    total: row.total,
    done: row.done,
    changed: row.changed,
    skipped: row.done - row.changed,
    expires_at: daysOf(row) === null ? row.expiresAt : null,
    extend_days: daysOf(row),
    move_due: row.postponeDays !== null,
    shorten: row.shorten,
    file_name: row.fileName,
    starts_at: row.startsAt,
    finished_at: row.finishedAt,
    undo_of: row.undoOf,
    undone_by: row.undoneBy,
    can_undo: canUndo(row, now),
    created_by: named(row.startedBy, names),
    business_id: row.businessId,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}
