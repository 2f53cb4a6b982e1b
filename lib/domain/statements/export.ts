import { decimalAmount } from "@/lib/kernel/money";
import type { Ctx } from "../context";
import { csvStream } from "../csv";
import { wholeList } from "../walk";
import { statementColumns } from "./columns";
import { monthOf } from "./get";
import { presentLine } from "./present";
import { type LineRow, listLines, type Month } from "./rows";

/** Every line of a statement as CSV, oldest first. */
export async function exportCsv(ctx: Ctx, month: string): Promise<ReadableStream<Uint8Array>> {
  const { bounds, timeZone } = await monthOf(ctx, month);
  return csvStream(ctx, statementColumns, batches(ctx, bounds), timeZone);
}

async function* batches(ctx: Ctx, bounds: Month) {
  for await (const rows of wholeList(ctx, "created_at", (walk) => listLines(ctx, bounds, walk)))
    yield rows.map(lineOf);
}

function lineOf(row: LineRow) {
  const { gross, refunds, disputes, fees, net, ...line } = presentLine(row);
  const sides = (amount: number) =>
    [Math.max(amount, 0), Math.max(-amount, 0)].map((side) => decimalAmount(side, row.currency));
  const [refunded, refundsReturned] = sides(refunds);
  const [disputed, disputesReturned] = sides(disputes);
  const [kept, feesReturned] = sides(fees);
  const [netIn, netOut] = sides(net);
  return {
    ...line,
    gross: decimalAmount(gross, row.currency),
    refunds: refunded,
    refunds_returned: refundsReturned,
    disputes: disputed,
    disputes_returned: disputesReturned,
    fees: kept,
    fees_returned: feesReturned,
    net_in: netIn,
    net_out: netOut,
  };
}
