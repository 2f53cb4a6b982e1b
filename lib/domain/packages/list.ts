import type { Page } from "@/lib/contract/envelope";
import type { Package, PackageQuery } from "@/lib/contract/packages";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { presentPackage } from "./present";
import { countPackages, listPackages } from "./rows";

/** A page of packages by either paginator. */
export async function list(
  ctx: Ctx,
  query: PackageQuery,
  search: URLSearchParams,
): Promise<Page<Package>> {
  return listPage(ctx, {
    path: "/packages",
    search,
    query,
    present: presentPackage,
    fetch: (walk) => listPackages(ctx, query, walk),
    count: () => countPackages(ctx, query),
  });
}
