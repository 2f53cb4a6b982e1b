import { useEndpoint } from "@/lib/client/hooks";
import { getCustomer } from "@/lib/contract/operations";

/** The customer that a form begins with; nothing is read without an id. */
export const useChosenCustomer = (id: string | null) =>
  useEndpoint(getCustomer, { params: { customer_id: id ?? "" } }, { enabled: id !== null });
