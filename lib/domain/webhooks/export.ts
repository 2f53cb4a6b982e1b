import type { WebhookDeliveryQuery } from "@/lib/contract/webhooks";
import type { Ctx } from "../context";
import { csvStream } from "../csv";
import { wholeList } from "../walk";
import { deliveryColumns } from "./columns";
import { presentStored } from "./present";
import { listDeliveries } from "./rows";

/** Every delivery that the filters match, without what was sent and answered, as CSV. */
export function exportCsv(
  ctx: Ctx,
  query: Omit<WebhookDeliveryQuery, "page" | "per_page" | "cursor">,
): Promise<ReadableStream<Uint8Array>> {
  return csvStream(ctx, deliveryColumns, batches(ctx, query));
}

async function* batches(ctx: Ctx, query: Parameters<typeof exportCsv>[1]) {
  for await (const rows of wholeList(ctx, query.sort, (walk) => listDeliveries(ctx, query, walk)))
    yield rows.map(presentStored);
}
