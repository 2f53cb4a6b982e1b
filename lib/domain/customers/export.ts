import type { CustomerQuery } from "@/lib/contract/customers";
import type { Ctx } from "../context";
import { csvStream } from "../csv";
import { wholeList } from "../walk";
import { customerColumns } from "./columns";
import { presentCustomer } from "./present";
import { listCustomers } from "./rows";

/** Every customer that the filters match, as CSV; for viewers without notes. */
export function exportCsv(
  ctx: Ctx,
  query: Omit<CustomerQuery, "page" | "per_page" | "cursor">,
): Promise<ReadableStream<Uint8Array>> {
  return csvStream(ctx, customerColumns, batches(ctx, query));
}

async function* batches(ctx: Ctx, query: Parameters<typeof exportCsv>[1]) {
  for await (const rows of wholeList(ctx, query.sort, (walk) => listCustomers(ctx, query, walk)))
    yield rows.map((row) => presentCustomer(ctx, row));
}
