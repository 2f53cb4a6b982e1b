import { useEndpoint } from "@/lib/client/hooks";
import type { Customer } from "@/lib/contract/customers";
import { getCustomer } from "@/lib/contract/operations";

/** The customer that a form begins with; nothing is read without an id. */
export const useChosenCustomer = (id: string | null) =>
  useEndpoint(getCustomer, { params: { customer_id: id ?? "" } }, { enabled: id !== null });

/** What a form about a payer takes over from the customer. */
export const payerOf = (customer: Pick<Customer, "email" | "phone_no"> | undefined) =>
  customer ? { email: customer.email, phone_no: customer.phone_no ?? "" } : {};
