import type { PaymentLink } from "@/lib/contract/payment-links";
import { every } from "@/lib/kernel/every";

/** The header row of the export: new columns only at the end. */
export const linkColumns = every<Exclude<keyof PaymentLink, "business_id" | "version">>()([
  "_id",
  "status",
  "paid",
  "amount",
  "amount_decimal",
  "currency",
  "title",
  "email",
  "phone_no",
  "description",
  "reference",
  "reference_2",
  "payment_url",
  "redirect_url",
  "subscription_id",
  "expires_at",
  "paid_at",
  "created_at",
  "updated_at",
  "import_id",
  "due_at",
  "overdue",
  "reminders",
  "test_clock_id",
  "integration_id",
  "default_reminders",
]);
