import type { FilterOf } from "@/lib/contract/lists";
import type { PaymentQuery } from "@/lib/contract/payments";
import { every } from "@/lib/kernel/every";

export const paymentFilters = every<FilterOf<PaymentQuery>>()([
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
  "payment_link_id",
  "subscription_id",
  "tokenization_id",
]);
