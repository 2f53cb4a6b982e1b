import type { FilterOf } from "@/lib/contract/lists";
import type { PaymentQuery } from "@/lib/contract/payments";
import { every } from "@/lib/kernel/every";

/** The pages of links, subscriptions and tokens show their own payments. */
type NotOffered = "payment_link_id" | "subscription_id" | "tokenization_id";

export const paymentFilters = every<Exclude<FilterOf<PaymentQuery>, NotOffered>>()([
  "q",
  "email",
  "status",
  "currency",
  "amount_min",
  "amount_max",
  "created_from",
  "created_to",
  "succeeded_from",
  "succeeded_to",
  "collected",
  "attention",
  "reference",
]);
