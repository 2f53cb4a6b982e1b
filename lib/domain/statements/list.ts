import type { Page } from "@/lib/contract/envelope";
import type { StatementLine, StatementQuery } from "@/lib/contract/statements";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { monthOf } from "./get";
import { presentLine } from "./present";
import { countLines, listLines } from "./rows";

/** A page of a statement's lines by either paginator. */
export async function list(
  ctx: Ctx,
  month: string,
  query: StatementQuery,
  search: URLSearchParams,
): Promise<Page<StatementLine>> {
  const { bounds } = await monthOf(ctx, month);
  return listPage(ctx, {
    path: `/statements/${month}/lines`,
    search,
    query,
    present: presentLine,
    fetch: (walk) => listLines(ctx, bounds, walk),
    count: () => countLines(ctx, bounds),
  });
}
