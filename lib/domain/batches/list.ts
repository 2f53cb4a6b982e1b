import type { Batch, BatchQuery } from "@/lib/contract/batches";
import type { Page } from "@/lib/contract/envelope";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { presentBatch, shownWith } from "./present";
import { type BatchRow, countBatches, listBatches } from "./rows";

type Listed = {
  id: string;
  createdAt: string;
  row: BatchRow;
  shown: Awaited<ReturnType<typeof shownWith>>;
};

/** A page of batches by either paginator. */
export async function list(
  ctx: Ctx,
  query: BatchQuery,
  search: URLSearchParams,
): Promise<Page<Batch>> {
  return listPage(ctx, {
    path: "/batches",
    search,
    query,
    present: ({ row, shown }: Listed) => presentBatch(row, shown),
    fetch: async (walk) => {
      const rows = await listBatches(ctx, query, walk);
      const shown = await shownWith(ctx, rows);
      return rows.map((row) => ({ id: row.id, createdAt: row.createdAt, row, shown }));
    },
    count: () => countBatches(ctx, query),
  });
}
