import { and, count, eq, gte, inArray, lte, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { owned } from "@/db/owned";
import { keyset, madeWithin, type Walk } from "@/db/page";
import { gatewayConnections } from "@/db/schema/gateway-connections";
import { gatewayEvents, liveStatuses, payments } from "@/db/schema/payments";
import type {
  GatewayCallbackQuery,
  GatewayConnectionQuery,
} from "@/lib/contract/gateway-connections";
import type { ConnectionRow } from "../businesses/rows";
import type { Ctx } from "../context";

export type { ConnectionRow };
/** `id`: the gateway's own of the event. `money`: what it claims was taken. */
export type CallbackRow = Omit<typeof gatewayEvents.$inferSelect, "amount" | "currency"> & {
  id: string;
  money: { amount: number | null; currency: string | null };
};
/** A connection with what is counted beside it. */
export type ListedConnection = ConnectionRow & { openAttempts: number; quarantined: number };

/** One at a time may connect a gateway for a business. */
export async function lockConnecting(ctx: Ctx, tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext('kutip.gateway'), ${ctx.businessId})`);
}

export async function insertConnection(
  on: Executor,
  row: typeof gatewayConnections.$inferInsert,
): Promise<void> {
  await on.insert(gatewayConnections).values(row);
}

export async function changeConnection(
  ctx: Ctx,
  tx: Tx,
  id: string,
  change: Partial<ConnectionRow>,
): Promise<void> {
  await tx
    .update(gatewayConnections)
    .set({ ...change, updatedAt: sql`now()` as never })
    .where(owned(ctx, gatewayConnections, eq(gatewayConnections.id, id)));
}

/** The database's own moment, for columns. */
export const nowSql = sql`now()` as never;

export async function lockConnection(
  ctx: Ctx,
  tx: Tx,
  id: string,
): Promise<ConnectionRow | undefined> {
  const [row] = await tx
    .select()
    .from(gatewayConnections)
    .where(owned(ctx, gatewayConnections, eq(gatewayConnections.id, id)))
    .for("update");
  return row;
}

/** The connections of a gateway in this mode, revoked ones too. */
export async function connectionsTo(
  ctx: Ctx,
  on: Executor,
  gateway: string,
): Promise<ConnectionRow[]> {
  return on
    .select()
    .from(gatewayConnections)
    .where(owned(ctx, gatewayConnections, eq(gatewayConnections.gateway, gateway)));
}

const conditions = (ctx: Ctx, query: GatewayConnectionQuery) =>
  owned(
    ctx,
    gatewayConnections,
    query.status === undefined
      ? undefined
      : sql`${gatewayConnections.revokedAt} is ${query.status === "revoked" ? sql`not null` : sql`null`}`,
    madeWithin(gatewayConnections.createdAt, query),
  );

async function counted(ctx: Ctx, on: Executor, rows: ConnectionRow[]): Promise<ListedConnection[]> {
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  const open = await on
    .select({ id: payments.connectionId, n: count() })
    .from(payments)
    .where(
      owned(
        ctx,
        payments,
        inArray(payments.connectionId, ids),
        inArray(payments.status, [...liveStatuses]),
      ),
    )
    .groupBy(payments.connectionId);
  const aside = await on
    .select({ id: gatewayEvents.connectionId, n: count() })
    .from(gatewayEvents)
    .where(
      and(
        eq(gatewayEvents.businessId, ctx.businessId),
        inArray(gatewayEvents.connectionId, ids),
        eq(gatewayEvents.state, "quarantined"),
      ),
    )
    .groupBy(gatewayEvents.connectionId);
  const of = (list: Array<{ id: string | null; n: number }>, id: string) =>
    list.find((one) => one.id === id)?.n ?? 0;
  return rows.map((row) => ({
    ...row,
    openAttempts: of(open, row.id),
    quarantined: of(aside, row.id),
  }));
}

export async function listConnections(
  ctx: Ctx,
  query: GatewayConnectionQuery,
  walk: Walk,
): Promise<ListedConnection[]> {
  const { where, orderBy, limit, offset } = keyset(gatewayConnections, walk);
  return counted(
    ctx,
    db,
    await db
      .select()
      .from(gatewayConnections)
      .where(and(conditions(ctx, query), where))
      .orderBy(...orderBy)
      .limit(limit as number)
      .offset(offset as number),
  );
}

export async function countConnections(ctx: Ctx, query: GatewayConnectionQuery): Promise<number> {
  return db.$count(gatewayConnections, conditions(ctx, query));
}

/** A connection as lists show it. */
export async function showConnection(
  ctx: Ctx,
  id: string,
  on: Executor = db,
): Promise<ListedConnection | undefined> {
  const [row] = await counted(
    ctx,
    on,
    await on
      .select()
      .from(gatewayConnections)
      .where(owned(ctx, gatewayConnections, eq(gatewayConnections.id, id))),
  );
  return row;
}

const called = { id: gatewayEvents.eventId, createdAt: gatewayEvents.createdAt };

const callbackConditions = (ctx: Ctx, connectionId: string, query: GatewayCallbackQuery) =>
  and(
    eq(gatewayEvents.businessId, ctx.businessId),
    eq(gatewayEvents.connectionId, connectionId),
    query.status === undefined ? undefined : eq(gatewayEvents.state, query.status),
    query.reference === undefined ? undefined : eq(gatewayEvents.reference, query.reference),
    query.currency === undefined ? undefined : eq(gatewayEvents.currency, query.currency),
    query.amount_min === undefined ? undefined : gte(gatewayEvents.amount, query.amount_min),
    query.amount_max === undefined ? undefined : lte(gatewayEvents.amount, query.amount_max),
    madeWithin(gatewayEvents.createdAt, query),
  );

/** A page of what a connection of this mode was called back with; whose connection it is has been looked at before. */
export async function listCallbacks(
  ctx: Ctx,
  connectionId: string,
  query: GatewayCallbackQuery,
  walk: Walk,
): Promise<CallbackRow[]> {
  const { where, orderBy, limit, offset } = keyset(called, walk);
  const rows = await db
    .select()
    .from(gatewayEvents)
    .where(and(callbackConditions(ctx, connectionId, query), where))
    .orderBy(...orderBy)
    .limit(limit as number)
    .offset(offset as number);
  return rows.map(({ amount, currency, ...row }) => ({
    ...row,
    id: row.eventId,
    money: { amount, currency },
  }));
}

export async function countCallbacks(
  ctx: Ctx,
  connectionId: string,
  query: GatewayCallbackQuery,
): Promise<number> {
  return db.$count(gatewayEvents, callbackConditions(ctx, connectionId, query));
}
