import { and, desc, eq, getTableColumns, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import { batched, togetherBy } from "@/db/batched";
import { db, type Executor, type Tx } from "@/db/client";
import { directory, enter, entryOf } from "@/db/directory";
import { createdFilters, filtered, type Filters } from "@/db/filters";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { gatewayConnections } from "@/db/schema/gateway-connections";
import type { GatewayConnectionQuery } from "@/lib/contract/gateway-connections";
import type { Mode } from "@/lib/contract/values";
import { builtInGateways } from "@/lib/gateways/registry";
import type { Ctx } from "../context";

export type ConnectionRow = typeof gatewayConnections.$inferSelect;

/** The first of the connections that take new payments of a mode. */
export const findConnection = async (
  businessId: number,
  mode: Mode,
  on: Executor = db,
): Promise<ConnectionRow | undefined> => (await activeConnections(businessId, mode, on))[0];

type Owner = { businessId: number; mode: Mode };

async function activeRows(businessId: number, on: Executor): Promise<ConnectionRow[]> {
  return on
    .select()
    .from(gatewayConnections)
    .where(and(eq(gatewayConnections.businessId, businessId), eq(gatewayConnections.enabled, true)))
    .orderBy(
      desc(sql`coalesce(${gatewayConnections.preferredAt}, ${gatewayConnections.createdAt})`),
      gatewayConnections.id,
    );
}

const activeTogether = togetherBy<Owner, ConnectionRow[]>(
  ({ businessId }) => String(businessId),
  async (list) => {
    const rows = await activeRows(list[0]?.businessId ?? 0, db);
    return list.map(({ mode }) => rows.filter((row) => row.mode === mode));
  },
);

/**
 * The connections that take new payments of a mode, in the order that staff set, else the newest first. A built-in gateway is among them only
 * while no other is connected.
 */
export async function activeConnections(
  businessId: number,
  mode: Mode,
  on: Executor = db,
): Promise<ConnectionRow[]> {
  const rows =
    on === db
      ? await activeTogether({ businessId, mode })
      : (await activeRows(businessId, on)).filter((row) => row.mode === mode);
  const connected = rows.filter(({ gateway }) => !builtInGateways.includes(gateway));
  return connected.length > 0 ? connected : rows;
}

const byIdTogether = togetherBy<{ businessId: number; id: string }, ConnectionRow | undefined>(
  ({ businessId }) => String(businessId),
  async (list) => {
    const ids = [...new Set(list.map(({ id }) => id))];
    const rows = await connectionsById(list[0]?.businessId ?? 0, ids, db);
    return list.map(({ id }) => rows.find((row) => row.id === id));
  },
);

const connectionsById = (businessId: number, ids: readonly string[], on: Executor) =>
  on
    .select()
    .from(gatewayConnections)
    .where(
      and(eq(gatewayConnections.businessId, businessId), inArray(gatewayConnections.id, [...ids])),
    );

/** The connection an attempt was made with, enabled or not. */
export async function connectionById(
  businessId: number,
  id: string,
  on: Executor = db,
): Promise<ConnectionRow | undefined> {
  if (on === db) return byIdTogether({ businessId, id });
  return (await connectionsById(businessId, [id], on))[0];
}

/** The connections of all businesses that are not revoked. */
export async function unscopedConnections(): Promise<ConnectionRow[]> {
  return db.select().from(gatewayConnections).where(isNull(gatewayConnections.revokedAt));
}

/** The same, by the columns that each version has had: a restored database may be older. */
export async function unscopedConnectionNames(): Promise<
  Pick<ConnectionRow, "id" | "businessId" | "mode" | "gateway">[]
> {
  const { id, businessId, mode, gateway, revokedAt } = gatewayConnections;
  return db
    .select({ id, businessId, mode, gateway })
    .from(gatewayConnections)
    .where(isNull(revokedAt))
    .orderBy(businessId, id);
}

/** `noteDue`: no callback was noted within the last ten seconds. */
type CalledConnection = ConnectionRow & { noteDue: boolean };

/** For callbacks: the address has the random id of the connection, and that connection's secret verifies. */
export async function unscopedFindConnection(
  gateway: string,
  id: string,
): Promise<CalledConnection | undefined> {
  const row = await calledConnection(id);
  return row?.gateway === gateway ? row : undefined;
}

const noteDue = sql<boolean>`coalesce(${gatewayConnections.lastCallbackAt}, '-infinity') < now() - interval '10 seconds'`;

const calledConnection = batched(async (ids) => {
  const rows = await db
    .select({ ...getTableColumns(gatewayConnections), noteDue })
    .from(directory)
    .innerJoin(
      gatewayConnections,
      entryOf("gateway_connection", gatewayConnections, gatewayConnections.id),
    )
    .where(inArray(directory.key, ids));
  return new Map(rows.map((row) => [row.id, row]));
});

/** Notes that a callback came, at most every ten seconds. */
export async function unscopedNoteCallback(called: CalledConnection): Promise<void> {
  if (!called.noteDue) return;
  await db
    .update(gatewayConnections)
    .set({ lastCallbackAt: sql`now()` as never })
    .where(
      and(
        eq(gatewayConnections.businessId, called.businessId),
        eq(gatewayConnections.id, called.id),
        noteDue,
      ),
    );
}

/** Whether new payments of a mode have a gateway. */
export async function hasGateway(
  businessId: number,
  mode: Mode,
  on: Executor = db,
): Promise<boolean> {
  return (await findConnection(businessId, mode, on)) !== undefined;
}

/** One at a time may connect a gateway for a business. */
export async function lockConnecting(ctx: Ctx, tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext('kutip.gateway'), ${ctx.businessId})`);
}

export async function insertConnection(
  on: Executor,
  row: typeof gatewayConnections.$inferInsert,
): Promise<void> {
  await on
    .with(enter(on, "gateway_connection", row, row.id))
    .insert(gatewayConnections)
    .values(row);
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

export async function lockConnection(
  ctx: Ctx,
  tx: Tx,
  id: string,
): Promise<ConnectionRow | undefined> {
  const [row] = await tx
    .select()
    .from(gatewayConnections)
    .where(owned(ctx, gatewayConnections, eq(gatewayConnections.id, id)))
    .for("no key update");
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

const filters: Filters<GatewayConnectionQuery> = {
  status: (status) =>
    status === "revoked"
      ? isNotNull(gatewayConnections.revokedAt)
      : isNull(gatewayConnections.revokedAt),
  ...createdFilters(gatewayConnections.createdAt),
};

const conditions = (ctx: Ctx, query: GatewayConnectionQuery) =>
  owned(ctx, gatewayConnections, ...filtered(filters, query));

export async function listConnections(
  ctx: Ctx,
  query: GatewayConnectionQuery,
  walk: Walk,
): Promise<ConnectionRow[]> {
  const { where, orderBy, limit, offset } = keyset(gatewayConnections, walk);
  return db
    .select()
    .from(gatewayConnections)
    .where(and(conditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
}

export async function countConnections(ctx: Ctx, query: GatewayConnectionQuery): Promise<number> {
  return db.$count(gatewayConnections, conditions(ctx, query));
}

/** A connection of this mode, enabled or not. */
export async function findOwnConnection(
  ctx: Ctx,
  id: string,
  on: Executor = db,
): Promise<ConnectionRow | undefined> {
  const [row] = await on
    .select()
    .from(gatewayConnections)
    .where(owned(ctx, gatewayConnections, eq(gatewayConnections.id, id)));
  return row;
}
