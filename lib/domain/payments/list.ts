import type { Page } from "@/lib/contract/envelope";
import type { Payment, PaymentQuery } from "@/lib/contract/payments";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { presentPayment } from "./present";
import { countPayments, listPayments } from "./list-rows";

/** A page of payments by either paginator. */
export async function list(
  ctx: Ctx,
  query: PaymentQuery,
  search: URLSearchParams,
): Promise<Page<Payment>> {
  return listPage(ctx, {
    path: "/payments",
    search,
    query,
    present: presentPayment,
    fetch: (walk) => listPayments(ctx, query, walk),
    count: () => countPayments(ctx, query),
  });
}
