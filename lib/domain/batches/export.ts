import type { BatchQuery } from "@/lib/contract/batches";
import type { Ctx } from "../context";
import { csvStream } from "../csv";
import { wholeList } from "../walk";
import { batchColumns } from "./columns";
import { presentBatch, shownWith } from "./present";
import { listBatches } from "./rows";

/** Every batch that the filters match, as CSV. */
export function exportCsv(
  ctx: Ctx,
  query: Omit<BatchQuery, "page" | "per_page" | "cursor">,
): Promise<ReadableStream<Uint8Array>> {
  return csvStream(ctx, batchColumns, batches(ctx, query));
}

async function* batches(ctx: Ctx, query: Parameters<typeof exportCsv>[1]) {
  for await (const rows of wholeList(ctx, query.sort, (walk) => listBatches(ctx, query, walk))) {
    const shown = await shownWith(ctx, rows);
    yield rows.map((row) => {
      const batch = presentBatch(row, shown);
      return { ...batch, created_by: batch.created_by.name };
    });
  }
}
