import type { SubscriptionQuery } from "@/lib/contract/subscriptions";
import type { Ctx } from "../context";
import { csvStream } from "../csv";
import { wholeList } from "../walk";
import { subscriptionColumns } from "./columns";
import { presentSubscription } from "./present";
import { listSubscriptions, type WithPackage } from "./rows";

/** Every subscription that the filters match, as CSV. */
export function exportCsv(
  ctx: Ctx,
  query: Omit<SubscriptionQuery, "page" | "per_page" | "cursor">,
): Promise<ReadableStream<Uint8Array>> {
  return csvStream(ctx, subscriptionColumns, batches(ctx, query));
}

async function* batches(ctx: Ctx, query: Parameters<typeof exportCsv>[1]) {
  for await (const rows of wholeList(ctx, query.sort, (walk) =>
    listSubscriptions(ctx, query, walk),
  ))
    yield rows.map(asRow);
}

function asRow(row: WithPackage) {
  const { package: terms, ...subscription } = presentSubscription({ ...row, links: [] });
  return {
    ...subscription,
    package_name: terms.name,
    package_amount: terms.amount,
    package_amount_decimal: terms.amount_decimal,
    package_currency: terms.currency,
    package_frequency: terms.frequency,
  };
}
