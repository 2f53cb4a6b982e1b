import type { LoggedRequest } from "@/lib/contract/request-log";
import { every } from "@/lib/kernel/every";

/** The header row of the export: new columns only at the end. */
export const requestColumns = every<keyof LoggedRequest>()([
  "_id",
  "created_at",
  "method",
  "path",
  "query",
  "status",
  "duration_ms",
  "caller",
  "api_key",
  "person",
  "ip_address",
  "user_agent",
  "idempotency_key",
  "restricted",
]);
