import type { Page } from "@/lib/contract/envelope";
import type { ListedRefund, RefundQuery } from "@/lib/contract/refunds";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../../context";
import { listPage } from "../../lists";
import { findPayment } from "../rows";
import { presentListedRefund } from "./present";
import { countRefunds, listRefunds } from "./rows";

/** A page of a payment's refunds by either paginator. Throws 404. */
export async function list(
  ctx: Ctx,
  paymentId: string,
  query: RefundQuery,
  search: URLSearchParams,
): Promise<Page<ListedRefund>> {
  if (!(await findPayment(ctx, paymentId))) throw notFound();
  return listPage(ctx, {
    path: `/payments/${paymentId}/refunds`,
    search,
    query,
    present: presentListedRefund,
    fetch: (walk) => listRefunds(ctx, paymentId, query, walk),
    count: () => countRefunds(ctx, paymentId, query),
  });
}
