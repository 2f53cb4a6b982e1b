import type { Page } from "@/lib/contract/envelope";
import type { GatewayCallback, GatewayCallbackQuery } from "@/lib/contract/gateway-connections";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { findOwnConnection } from "../gateway-connections/rows";
import { listPage } from "../lists";
import { presentCallback } from "./present";
import { countCallbacks, listCallbacks } from "./rows";

/** A page of the callbacks that a connection of this mode has received. Throws 404. */
export async function list(
  ctx: Ctx,
  id: string,
  query: GatewayCallbackQuery,
  search: URLSearchParams,
): Promise<Page<GatewayCallback>> {
  if (!(await findOwnConnection(ctx, id))) throw notFound();
  return listPage(ctx, {
    path: `/gateway-connections/${id}/callbacks`,
    search,
    query,
    // No index has callbacks in the order of the list.
    readsAll: true,
    present: presentCallback,
    fetch: (walk) => listCallbacks(ctx, id, query, walk),
    count: () => countCallbacks(ctx, id, query),
  });
}
