import type { AuditEntry } from "@/lib/contract/business";
import { every } from "@/lib/kernel/every";

type Column = Exclude<keyof AuditEntry, "actor"> | `actor_${keyof AuditEntry["actor"]}`;

/** The header row of the export: new columns only at the end. */
export const auditColumns = every<Column>()([
  "_id",
  "created_at",
  "action",
  "actor_kind",
  "actor_id",
  "actor_name",
  "actor_email",
  "mode",
  "object_id",
  "address",
  "request_id",
  "details",
]);
