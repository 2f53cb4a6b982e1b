import type { Batch } from "@/lib/contract/batches";
import { every } from "@/lib/kernel/every";

/** The header row of the export: new columns only at the end. */
export const batchColumns = every<Exclude<keyof Batch, "business_id" | "can_undo">>()([
  "_id",
  "created_at",
  "action",
  "status",
  "total",
  "done",
  "changed",
  "skipped",
  "expires_at",
  "starts_at",
  "finished_at",
  "undo_of",
  "undone_by",
  "created_by",
  "updated_at",
  "shorten",
  "file_name",
  "extend_days",
  "move_due",
]);
