import type { Package } from "@/lib/contract/packages";
import { every } from "@/lib/kernel/every";

/** The header row of the export: new columns only at the end. */
export const packageColumns = every<Exclude<keyof Package, "business_id" | "version">>()([
  "_id",
  "status",
  "name",
  "description",
  "amount",
  "amount_decimal",
  "currency",
  "frequency",
  "date_charge_start",
  "created_at",
  "updated_at",
]);
