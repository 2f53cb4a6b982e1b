import type { Customer } from "@/lib/contract/customers";
import type { Page } from "@/lib/contract/envelope";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { presentCustomer } from "./present";
import { countCustomers, type CustomerRow, type CustomersAsked, listCustomers } from "./rows";

/** A page of customers by either paginator. */
export async function list(
  ctx: Ctx,
  query: CustomersAsked,
  search: URLSearchParams,
): Promise<Page<Customer>> {
  return listPage(ctx, {
    path: "/customers",
    search,
    query,
    present: (row: CustomerRow) => presentCustomer(ctx, row),
    fetch: (walk) => listCustomers(ctx, query, walk),
    count: () => countCustomers(ctx, query),
  });
}
