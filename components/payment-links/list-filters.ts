import type { FilterOf } from "@/lib/contract/lists";
import type { PaymentLinkQuery } from "@/lib/contract/payment-links";
import { every } from "@/lib/kernel/every";

/** A subscription shows its own links, and the dialog of an extension counts by expiry. */
type NotOffered = "subscription_id" | "has_expiry" | "ids";

export const linkFilters = every<Exclude<FilterOf<PaymentLinkQuery>, NotOffered>>()([
  "q",
  "email",
  "status",
  "paid",
  "open",
  "mailed",
  "opened",
  "tried",
  "overdue",
  "currency",
  "amount_min",
  "amount_max",
  "created_from",
  "created_to",
  "reference",
  "reference_2",
  "import_id",
  "integration_id",
  "test_clock_id",
]);
