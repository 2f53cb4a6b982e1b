import { togetherBy } from "@/db/batched";
import { setsOneOf } from "@/db/filters";
import type { Page } from "@/lib/contract/envelope";
import type { PaymentLink, PaymentLinkQuery } from "@/lib/contract/payment-links";
import type { Ctx } from "../context";
import { isHeavy, listPage } from "../lists";
import { presentLink } from "./present";
import { countLinks, listLinks } from "./list-rows";

type Asked = { ctx: Ctx; query: PaymentLinkQuery; search: URLSearchParams };

/** A page of links by either paginator. Equal calls of a business at the same moment share one answer: it was read after each had come. */
export async function list(
  ctx: Ctx,
  query: PaymentLinkQuery,
  search: URLSearchParams,
): Promise<Page<PaymentLink>> {
  const asked = { ctx, query, search };
  // A costly read waits for its place, and loses it when its caller leaves.
  return isHeavy({ query, readsAll: readsAll(query) }) ? read(asked) : readTogether(asked);
}

const readsAll = (query: PaymentLinkQuery) =>
  setsOneOf(query, "mailed", "opened", "tried", "has_expiry");

const readTogether = togetherBy<Asked, Page<PaymentLink>>(
  ({ ctx, search }) => `${ctx.businessId} ${ctx.mode} ${search}`,
  async (equal) => {
    const page = await read(equal[0] as Asked);
    return equal.map(() => page);
  },
);

const read = (asked: Asked): Promise<Page<PaymentLink>> => listAt("/payment-links", asked);

/** A page of links. The addresses of other pages are at this path below `/api`. */
export const listAt = (path: string, { ctx, query, search }: Asked): Promise<Page<PaymentLink>> =>
  listPage(ctx, {
    path,
    search,
    query,
    readsAll: readsAll(query),
    present: presentLink,
    fetch: (walk) => listLinks(ctx, query, walk),
    count: () => countLinks(ctx, query),
  });
