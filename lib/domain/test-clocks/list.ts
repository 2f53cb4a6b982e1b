import type { Page } from "@/lib/contract/envelope";
import type { TestClock, TestClockQuery } from "@/lib/contract/test-clocks";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { presentClock } from "./present";
import { countClocks, listClocks } from "./rows";

/** A page of clocks by either paginator. */
export async function list(
  ctx: Ctx,
  query: TestClockQuery,
  search: URLSearchParams,
): Promise<Page<TestClock>> {
  return listPage(ctx, {
    path: "/test-clocks",
    search,
    query,
    present: presentClock,
    fetch: (walk) => listClocks(ctx, query, walk),
    count: () => countClocks(ctx, query),
  });
}
