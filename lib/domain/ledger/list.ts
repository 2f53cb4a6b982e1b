import { setsOneOf } from "@/db/filters";
import type { Page } from "@/lib/contract/envelope";
import type { LedgerEntry, LedgerQuery } from "@/lib/contract/ledger";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { presentEntry } from "./present";
import { countEntries, listEntries } from "./rows";

/** A page of the ledger by either paginator. */
export async function list(
  ctx: Ctx,
  query: LedgerQuery,
  search: URLSearchParams,
): Promise<Page<LedgerEntry>> {
  return listPage(ctx, {
    path: "/ledger-entries",
    search,
    query,
    readsAll: setsOneOf(query, "currency", "kind", "account"),
    present: presentEntry,
    fetch: (walk) => listEntries(ctx, query, walk),
    count: () => countEntries(ctx, query),
  });
}
