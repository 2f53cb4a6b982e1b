import type { Subscription } from "@/lib/contract/subscriptions";
import { every } from "@/lib/kernel/every";

/** The header row of the export: new columns only at the end. */
export const subscriptionColumns = every<
  | Exclude<keyof Subscription, "business_id" | "version" | "package" | "payment_links">
  | `package_${"name" | "amount" | "amount_decimal" | "currency" | "frequency"}`
>()([
  "_id",
  "status",
  "email",
  "phone_no",
  "package_id",
  "package_name",
  "package_amount",
  "package_amount_decimal",
  "package_currency",
  "package_frequency",
  "tokenization_id",
  "current_period_start",
  "current_period_end",
  "next_charge_at",
  "test_clock_id",
  "cancelled_at",
  "created_at",
  "updated_at",
]);
