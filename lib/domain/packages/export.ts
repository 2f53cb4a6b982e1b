import type { PackageQuery } from "@/lib/contract/packages";
import type { Ctx } from "../context";
import { csvStream } from "../csv";
import { wholeList } from "../walk";
import { packageColumns } from "./columns";
import { presentPackage } from "./present";
import { listPackages } from "./rows";

/** Every package that the filters match, as CSV. */
export function exportCsv(
  ctx: Ctx,
  query: Omit<PackageQuery, "page" | "per_page" | "cursor">,
): Promise<ReadableStream<Uint8Array>> {
  return csvStream(ctx, packageColumns, batches(ctx, query));
}

async function* batches(ctx: Ctx, query: Parameters<typeof exportCsv>[1]) {
  for await (const rows of wholeList(ctx, query.sort, (walk) => listPackages(ctx, query, walk)))
    yield rows.map(presentPackage);
}
