import type { PaymentQuery } from "@/lib/contract/payments";
import type { Ctx } from "../context";
import { csvStream } from "../csv";
import { wholeList } from "../walk";
import { paymentColumns } from "./columns";
import { withPayers } from "./payer-rows";
import { presentWithPayer } from "./present";
import { listPayments } from "./list-rows";

/** Every payment that the filters match, as CSV. */
export function exportCsv(
  ctx: Ctx,
  query: Omit<PaymentQuery, "page" | "per_page" | "cursor">,
): Promise<ReadableStream<Uint8Array>> {
  return csvStream(ctx, paymentColumns, batches(ctx, query));
}

async function* batches(ctx: Ctx, query: Parameters<typeof exportCsv>[1]) {
  for await (const rows of wholeList(ctx, query.sort, async (walk) =>
    withPayers(ctx, await listPayments(ctx, query, walk)),
  ))
    yield rows.map(presentWithPayer);
}
