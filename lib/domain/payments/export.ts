import { netOf } from "@/lib/contract/payment-sums";
import type { PaymentQuery } from "@/lib/contract/payments";
import { decimalAmount } from "@/lib/kernel/money";
import type { Ctx } from "../context";
import { csvStream } from "../csv";
import { wholeList } from "../walk";
import { paymentColumns } from "./columns";
import { type PayerFacts, withPayers } from "./payer-rows";
import { presentWithPayer } from "./present";
import { listPayments } from "./list-rows";
import type { PaymentRow } from "./rows";

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
    yield rows.map(lineOf);
}

/** A payment, and what is left of it as Balance says. */
function lineOf(row: PaymentRow & PayerFacts) {
  const payment = presentWithPayer(row);
  const booked = payment.succeeded_at === null ? null : netOf(payment);
  return {
    ...payment,
    net_booked: booked,
    net_booked_decimal: booked === null ? null : decimalAmount(booked, payment.currency),
  };
}
