import { setsOneOf } from "@/db/filters";
import { db } from "@/db/client";
import type { Page } from "@/lib/contract/envelope";
import type { Subscription, SubscriptionQuery } from "@/lib/contract/subscriptions";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { embedLinks, presentSubscription } from "./present";
import { countSubscriptions, listSubscriptions } from "./rows";

/** A page of subscriptions by either paginator. Their packages and the links of their periods take two statements, however long the page is. */
export async function list(
  ctx: Ctx,
  query: SubscriptionQuery,
  search: URLSearchParams,
): Promise<Page<Subscription>> {
  return listPage(ctx, {
    path: "/subscriptions",
    search,
    query,
    readsAll: setsOneOf(query, "currency", "tokenization_id"),
    present: presentSubscription,
    fetch: async (walk) => embedLinks(ctx, db, await listSubscriptions(ctx, query, walk)),
    count: () => countSubscriptions(ctx, query),
  });
}
