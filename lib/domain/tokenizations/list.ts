import type { Page } from "@/lib/contract/envelope";
import type { Tokenization, TokenizationQuery } from "@/lib/contract/tokenizations";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { presentTokenization } from "./present";
import { countTokenizations, listTokenizations } from "./rows";

/** A page of records by either paginator. */
export async function list(
  ctx: Ctx,
  query: TokenizationQuery,
  search: URLSearchParams,
): Promise<Page<Tokenization>> {
  return listPage(ctx, {
    path: "/tokenizations",
    search,
    query,
    present: presentTokenization,
    fetch: (walk) => listTokenizations(ctx, query, walk),
    count: () => countTokenizations(ctx, query),
  });
}
