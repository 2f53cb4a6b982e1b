import type { Customer } from "@/lib/contract/customers";
import { every } from "@/lib/kernel/every";

/** The header row of the export: new columns only at the end. */
export const customerColumns = every<Exclude<keyof Customer, "business_id" | "version">>()([
  "_id",
  "email",
  "name",
  "phone_no",
  "language",
  "notes",
  "created_at",
  "updated_at",
]);
