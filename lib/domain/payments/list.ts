import type { Page } from "@/lib/contract/envelope";
import type { PaymentQuery, PaymentWithPayer } from "@/lib/contract/payments";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { withPayers } from "./payer-rows";
import { presentWithPayer } from "./present";
import { countPayments, listPayments } from "./list-rows";

/** A page of payments with their payers, by either paginator. */
export async function list(
  ctx: Ctx,
  query: PaymentQuery,
  search: URLSearchParams,
): Promise<Page<PaymentWithPayer>> {
  return listPage(ctx, {
    path: "/payments",
    search,
    query,
    present: presentWithPayer,
    fetch: async (walk) => withPayers(ctx, await listPayments(ctx, query, walk)),
    count: () => countPayments(ctx, query),
  });
}
