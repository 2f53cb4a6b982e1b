import { and, count, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import { togetherBy } from "@/db/batched";
import { db, type Executor, type Tx } from "@/db/client";
import { newRows } from "@/db/columns";
import { amountFilters, createdFilters, filtered, type Filters, is } from "@/db/filters";
import { keyset, type Walk } from "@/db/page";
import { gatewayEvents } from "@/db/schema/payments";
import type { GatewayCallbackQuery } from "@/lib/contract/gateway-connections";
import type { Due } from "@/lib/jobs/claim-rows";
import type { Ctx } from "../context";

export type CallbackRow = typeof gatewayEvents.$inferSelect;
type NewCallback = Pick<
  CallbackRow,
  | "businessId"
  | "connectionId"
  | "eventId"
  | "type"
  | "about"
  | "disputeChange"
  | "reference"
  | "gatewayId"
  | "amount"
  | "currency"
  | "problem"
  | "state"
>;

/** Stores a verified callback once. Returns when; undefined when it is a repeat. Only a new one is worked. */
export const unscopedStoreCallback = togetherBy<NewCallback, string | undefined>(
  ({ connectionId }) => connectionId,
  async (list) => {
    const made = await db
      .insert(gatewayEvents)
      .select(
        newRows(gatewayEvents, list, {
          nextTryAt: sql`case when state = 'new' then now() + interval '20 seconds' end`,
        }),
      )
      .onConflictDoNothing()
      .returning({ eventId: gatewayEvents.eventId, createdAt: gatewayEvents.createdAt });
    const fresh = new Map(made.map(({ eventId, createdAt }) => [eventId, createdAt]));
    return list.map(({ eventId }) => {
      const createdAt = fresh.get(eventId);
      // A repeat may be in the same statement.
      fresh.delete(eventId);
      return createdAt;
    });
  },
);

/** Callbacks that were stored and not finished: the process died, or their payment was not there yet. */
export const unfinishedCallbacks: Due<typeof gatewayEvents> = {
  table: gatewayEvents,
  fairBy: [gatewayEvents.businessId, gatewayEvents.connectionId],
  moment: gatewayEvents.nextTryAt,
  where: sql`${gatewayEvents.nextTryAt} is not null`,
};

/** Closes a callback, or plans another try in `seconds`; does nothing when a worker has claimed the callback since. */
export async function unscopedCloseCallback(
  row: Pick<CallbackRow, "businessId" | "connectionId" | "eventId" | "fence">,
  state: CallbackRow["state"],
  seconds: number | null,
  problem: string | null = null,
): Promise<void> {
  await closeTogether({ row, state, seconds, problem });
}

type Closed = {
  row: Pick<CallbackRow, "businessId" | "connectionId" | "eventId" | "fence">;
  state: CallbackRow["state"];
  seconds: number | null;
  problem: string | null;
};
const closeTogether = togetherBy<Closed, void>(
  ({ row }) => row.connectionId,
  async (list) => {
    const closed = list.map(({ row: { businessId, connectionId, eventId, fence }, ...change }) => ({
      businessId,
      connectionId,
      eventId,
      fence,
      ...change,
    }));
    await db.execute(sql`
      update ${gatewayEvents} set state = c.state, problem = c.problem, tries = ${gatewayEvents.tries} + 1, next_try_at = (select now() + make_interval(secs => c.seconds))
      from jsonb_to_recordset(${JSON.stringify(closed)}::jsonb) as c("businessId" int, "connectionId" text, "eventId" text, fence bigint, state text, problem text, seconds float8)
      where ${gatewayEvents.businessId} = ${list[0]?.row.businessId} and ${gatewayEvents.connectionId} = c."connectionId" and ${gatewayEvents.eventId} = c."eventId" and ${gatewayEvents.fence} = c.fence`);
    return [];
  },
);

type CallbackKey = Pick<CallbackRow, "businessId" | "connectionId" | "eventId">;

const keyOf = ({ businessId, connectionId, eventId }: CallbackKey) =>
  and(
    eq(gatewayEvents.businessId, businessId),
    eq(gatewayEvents.connectionId, connectionId),
    eq(gatewayEvents.eventId, eventId),
  );

/** Tries a callback once more that belonged to no payment here; any other is left as it is. */
export async function unscopedReopenUnmatched(key: CallbackKey): Promise<void> {
  await db
    .update(gatewayEvents)
    .set({ nextTryAt: sql`now()` })
    .where(and(keyOf(key), eq(gatewayEvents.state, "unmatched"), isNull(gatewayEvents.nextTryAt)));
}

/** Tries the callbacks again that waited while their account was revoked. A worker that saw it revoked closes none of them any more. */
export async function resumeCallbacks(ctx: Ctx, tx: Tx, connectionId: string): Promise<void> {
  await tx
    .update(gatewayEvents)
    .set({ nextTryAt: sql`now()`, fence: sql`${gatewayEvents.fence} + 1` })
    .where(
      and(
        eq(gatewayEvents.businessId, ctx.businessId),
        eq(gatewayEvents.connectionId, connectionId),
        eq(gatewayEvents.state, "new"),
      ),
    );
}

/**
 * Tries the callbacks about a payment again that were set aside: what they report may fit what is known now. Those that were set aside as they came
 * were never tried, and stay: they are of another account or mode.
 */
export async function reopenQuarantined(
  { businessId }: Ctx,
  on: Executor,
  payment: { id: string; connectionId: string | null; gatewayId: string | null },
): Promise<void> {
  const { id, connectionId, gatewayId } = payment;
  if (connectionId === null) return;
  await on
    .update(gatewayEvents)
    .set({ state: "new", nextTryAt: sql`now()` })
    .where(
      and(
        eq(gatewayEvents.businessId, businessId),
        eq(gatewayEvents.connectionId, connectionId),
        eq(gatewayEvents.state, "quarantined"),
        gt(gatewayEvents.tries, 0),
        or(
          eq(gatewayEvents.reference, id),
          gatewayId ? eq(gatewayEvents.gatewayId, gatewayId) : undefined,
        ),
      ),
    );
}

/** A callback that was set aside is done with; any other is left as it is. */
export async function unscopedCloseQuarantined(key: CallbackKey): Promise<void> {
  await db
    .update(gatewayEvents)
    .set({ state: "done", problem: null })
    .where(and(keyOf(key), eq(gatewayEvents.state, "quarantined")));
}

/** `id`: the gateway's own of the event. `money`: the amount that it claims was taken. */
export type ListedCallback = Omit<CallbackRow, "amount" | "currency"> & {
  id: string;
  money: { amount: number | null; currency: string | null };
};

const called = { id: gatewayEvents.eventId, createdAt: gatewayEvents.createdAt };

const filters: Filters<GatewayCallbackQuery> = {
  status: is(gatewayEvents.state),
  reference: is(gatewayEvents.reference),
  currency: is(gatewayEvents.currency),
  ...amountFilters(gatewayEvents.amount),
  ...createdFilters(gatewayEvents.createdAt),
};

const callbackConditions = (ctx: Ctx, connectionId: string, query: GatewayCallbackQuery) =>
  and(
    eq(gatewayEvents.businessId, ctx.businessId),
    eq(gatewayEvents.connectionId, connectionId),
    ...filtered(filters, query),
  );

/** A page of the callbacks of a connection. The caller has checked that the connection is of this business and mode. */
export async function listCallbacks(
  ctx: Ctx,
  connectionId: string,
  query: GatewayCallbackQuery,
  walk: Walk,
): Promise<ListedCallback[]> {
  const { where, orderBy, limit, offset } = keyset(called, walk);
  const rows = await db
    .select()
    .from(gatewayEvents)
    .where(and(callbackConditions(ctx, connectionId, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
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

/** How many callbacks of each of these connections are quarantined, by the connection's id. */
export async function countQuarantined(
  ctx: Ctx,
  on: Executor,
  connectionIds: string[],
): Promise<Map<string, number>> {
  const rows = await on
    .select({ id: gatewayEvents.connectionId, n: count() })
    .from(gatewayEvents)
    .where(
      and(
        eq(gatewayEvents.businessId, ctx.businessId),
        inArray(gatewayEvents.connectionId, connectionIds),
        eq(gatewayEvents.state, "quarantined"),
      ),
    )
    .groupBy(gatewayEvents.connectionId);
  return new Map(rows.map(({ id, n }) => [id, n]));
}
