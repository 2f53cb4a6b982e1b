import type { LedgerQuery } from "@/lib/contract/ledger";
import { decimalAmount } from "@/lib/kernel/money";
import type { Ctx } from "../context";
import { csvStream } from "../csv";
import { wholeList } from "../walk";
import { ledgerColumns } from "./columns";
import { presentEntry } from "./present";
import { type EntryRow, listEntries } from "./rows";

/** Every entry that the filters match, as CSV. */
export function exportCsv(
  ctx: Ctx,
  query: Omit<LedgerQuery, "page" | "per_page" | "cursor">,
): Promise<ReadableStream<Uint8Array>> {
  return csvStream(ctx, ledgerColumns, batches(ctx, query));
}

function lineOf(row: EntryRow) {
  const [debit, credit] = [Math.max(row.amount, 0), Math.max(-row.amount, 0)];
  return {
    ...presentEntry(row),
    debit,
    credit,
    debit_decimal: decimalAmount(debit, row.currency),
    credit_decimal: decimalAmount(credit, row.currency),
  };
}

async function* batches(ctx: Ctx, query: Parameters<typeof exportCsv>[1]) {
  for await (const rows of wholeList(ctx, query.sort, (walk) => listEntries(ctx, query, walk)))
    yield rows.map(lineOf);
}
