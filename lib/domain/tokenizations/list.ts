import { setsOneOf } from "@/db/filters";
import type { Page } from "@/lib/contract/envelope";
import type { SeenTokenization, TokenizationQuery } from "@/lib/contract/tokenizations";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { presentFor } from "./present";
import { countTokenizations, listTokenizations, type TokenizationRow } from "./rows";

/** A page of records by either paginator. */
export async function list(
  ctx: Ctx,
  query: TokenizationQuery,
  search: URLSearchParams,
): Promise<Page<SeenTokenization>> {
  return listPage(ctx, {
    path: "/tokenizations",
    search,
    query,
    readsAll: setsOneOf(query, "status"),
    present: (row: TokenizationRow) => presentFor(ctx, row),
    fetch: (walk) => listTokenizations(ctx, query, walk),
    count: () => countTokenizations(ctx, query),
  });
}
