import type { Page } from "@/lib/contract/envelope";
import type { PaymentLink, PaymentLinkQuery } from "@/lib/contract/payment-links";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { presentLink } from "./present";
import { countLinks, listLinks } from "./list-rows";

/** A page of links by either paginator. */
export async function list(
  ctx: Ctx,
  query: PaymentLinkQuery,
  search: URLSearchParams,
): Promise<Page<PaymentLink>> {
  return listPage(ctx, {
    path: "/payment-links",
    search,
    query,
    present: presentLink,
    fetch: (walk) => listLinks(ctx, query, walk),
    count: () => countLinks(ctx, query),
  });
}
