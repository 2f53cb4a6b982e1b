import type { Event } from "@/lib/contract/events";
import { every } from "@/lib/kernel/every";

/** What most objects of events have. */
type ObjectField =
  | "status"
  | "title"
  | "name"
  | "reference"
  | "email"
  | "amount_decimal"
  | "currency";

/** The header row of the export: new columns only at the end. */
export const eventColumns = every<
  Exclude<keyof Event, "data" | "mode"> | "object_id" | ObjectField
>()([
  "_id",
  "created_at",
  "type",
  "object_id",
  "status",
  "title",
  "name",
  "reference",
  "email",
  "amount_decimal",
  "currency",
]);
