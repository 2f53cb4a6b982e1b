import type { CustomerQuery } from "@/lib/contract/customers";
import type { FilterOf } from "@/lib/contract/lists";
import { every } from "@/lib/kernel/every";

/** The search reads e-mail addresses too. Lists of other records ask for their customers. */
type NotOffered = "email" | "payment_link_ids" | "payment_ids";

export const customerFilters = every<Exclude<FilterOf<CustomerQuery>, NotOffered>>()([
  "q",
  "created_from",
  "created_to",
]);
