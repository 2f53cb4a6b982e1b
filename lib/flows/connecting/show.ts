import { db, type Executor } from "@/db/client";
import type { Page } from "@/lib/contract/envelope";
import type { GatewayConnection, GatewayConnectionQuery } from "@/lib/contract/gateway-connections";
import { countQuarantined } from "@/lib/domain/callbacks/rows";
import type { Ctx } from "@/lib/domain/context";
import { type ListedConnection, presentConnection } from "@/lib/domain/gateway-connections/present";
import {
  activeConnections,
  type ConnectionRow,
  countConnections,
  findOwnConnection,
  listConnections,
} from "@/lib/domain/gateway-connections/rows";
import { listPage } from "@/lib/domain/lists";
import { countOpenPayments } from "@/lib/domain/payments/rows";
import { notFound } from "@/lib/kernel/problem";

/** A page of the connections of this mode. */
export async function list(
  ctx: Ctx,
  query: GatewayConnectionQuery,
  search: URLSearchParams,
): Promise<Page<GatewayConnection>> {
  const present = presentConnection(await activeIds(ctx, db));
  return listPage(ctx, {
    path: "/gateway-connections",
    search,
    query,
    present,
    fetch: async (walk) => counted(ctx, db, await listConnections(ctx, query, walk)),
    count: () => countConnections(ctx, query),
  });
}

/** A connection of this mode. Throws 404. */
export async function get(ctx: Ctx, id: string, on: Executor = db): Promise<GatewayConnection> {
  const row = await findOwnConnection(ctx, id, on);
  const [listed] = row ? await counted(ctx, on, [row]) : [];
  if (!listed) throw notFound();
  return presentConnection(await activeIds(ctx, on))(listed);
}

const activeIds = async (ctx: Ctx, on: Executor) =>
  (await activeConnections(ctx.businessId, ctx.mode, on)).map(({ id }) => id);

async function counted(ctx: Ctx, on: Executor, rows: ConnectionRow[]): Promise<ListedConnection[]> {
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  const open = await countOpenPayments(ctx, on, ids);
  const quarantined = await countQuarantined(ctx, on, ids);
  return rows.map((row) => ({
    ...row,
    openAttempts: open.get(row.id) ?? 0,
    quarantined: quarantined.get(row.id) ?? 0,
  }));
}
