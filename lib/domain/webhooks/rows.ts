import { and, desc, eq, gte, inArray, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import type { ClaimColumn, CommonColumn } from "@/db/columns";
import { createdFilters, filtered, type Filters, is } from "@/db/filters";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { events } from "@/db/schema/events";
import {
  webhookAttempts as attempts,
  webhookDeliveries as deliveries,
  webhookEndpoints as endpoints,
} from "@/db/schema/webhooks";
import { webhookLimits } from "@/lib/contract/values";
import type { WebhookDeliveryQuery, WebhookEndpointQuery } from "@/lib/contract/webhooks";
import { newId } from "@/lib/kernel/ids";
import type { Ctx } from "../context";
import type { EventRow } from "../events/rows";
import { openEvents } from "../payers/rows";
import type { Versioned } from "../versions/edits";

export type EndpointRow = typeof endpoints.$inferSelect;
export type DeliveryRow = typeof deliveries.$inferSelect;
export type AttemptRow = typeof attempts.$inferSelect;

/** Written by the database, or as the endpoint changes. */
type Later =
  | "disabledReason"
  | "previousSecret"
  | "previousUntil"
  | "earlierSecret"
  | "earlierUntil"
  | "since"
  | "deletedAt"
  | keyof Versioned
  | ClaimColumn;

/** Every other column: one that is added to the table must be given here to compile. */
type NewEndpoint = Omit<EndpointRow, CommonColumn | Later>;

const existing = isNull(endpoints.deletedAt);
const overlap = sql`now() + make_interval(hours => ${webhookLimits.overlapHours})`;

export async function insertEndpoint(ctx: Ctx, tx: Tx, values: NewEndpoint): Promise<EndpointRow> {
  const [row] = await tx
    .insert(endpoints)
    .values({ ...values, businessId: ctx.businessId, mode: ctx.mode, id: newId() })
    .returning();
  if (!row) throw new Error("the webhook endpoint was not written");
  return row;
}

export async function findEndpoint(
  ctx: Ctx,
  id: string,
  on: Executor = db,
): Promise<EndpointRow | undefined> {
  const [row] = await on
    .select()
    .from(endpoints)
    .where(owned(ctx, endpoints, eq(endpoints.id, id), existing));
  return row;
}

/** The endpoint under its row lock. */
export async function lockEndpoint(ctx: Ctx, tx: Tx, id: string): Promise<EndpointRow | undefined> {
  const [row] = await tx
    .select()
    .from(endpoints)
    .where(owned(ctx, endpoints, eq(endpoints.id, id), existing))
    .for("no key update");
  return row;
}

async function changed(
  ctx: Ctx,
  tx: Tx,
  id: string,
  change: Partial<Record<keyof EndpointRow, unknown>>,
): Promise<EndpointRow> {
  const [row] = await tx
    .update(endpoints)
    .set({ ...change, updatedAt: sql`now()` } as never)
    .where(owned(ctx, endpoints, eq(endpoints.id, id)))
    .returning();
  if (!row) throw new Error("a locked webhook endpoint is gone");
  return row;
}

export async function changeEndpoint(
  ctx: Ctx,
  tx: Tx,
  id: string,
  change: Partial<
    Pick<EndpointRow, "url" | "description" | "events" | "version" | "changedBy" | "changedAt">
  >,
): Promise<EndpointRow> {
  return changed(ctx, tx, id, change);
}

/** Tells it of what happens from now on. */
export async function enableEndpoint(ctx: Ctx, tx: Tx, id: string): Promise<EndpointRow> {
  await stopDeliveries(ctx, tx, id);
  return changed(ctx, tx, id, {
    enabled: true,
    disabledReason: null,
    since: sql`pg_current_snapshot()`,
  });
}

/** Stops all that waits for it. */
export async function disableEndpoint(
  ctx: Ctx,
  tx: Tx,
  id: string,
  reason: EndpointRow["disabledReason"],
): Promise<EndpointRow> {
  const row = await changed(ctx, tx, id, { enabled: false, disabledReason: reason });
  await stopDeliveries(ctx, tx, id);
  return row;
}

/** Takes it out of every read; its deliveries stay. */
export async function markDeleted(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  await changed(ctx, tx, id, { deletedAt: sql`now()` });
  await stopDeliveries(ctx, tx, id);
}

/** Replaces the secret. The two before it sign to the end of their own days: receivers may have neither the new one nor, where its answer was lost, the last. */
export async function changeSecret(
  ctx: Ctx,
  tx: Tx,
  row: EndpointRow,
  sealed: string,
): Promise<EndpointRow> {
  return changed(ctx, tx, row.id, {
    secret: sealed,
    previousSecret: row.secret,
    previousUntil: overlap,
    earlierSecret: row.previousSecret,
    earlierUntil: row.previousUntil,
  });
}

// One that is on its way ends as it ends; its lease and fence stay.
async function stopDeliveries(ctx: Ctx, tx: Tx, endpointId: string): Promise<void> {
  await tx
    .update(deliveries)
    .set({ status: "stopped", nextTryAt: null, updatedAt: sql`now()` })
    .where(
      owned(
        ctx,
        deliveries,
        eq(deliveries.endpointId, endpointId),
        eq(deliveries.status, "pending"),
      ),
    );
}

const endpointFilters: Filters<WebhookEndpointQuery> = {
  status: (status) => eq(endpoints.enabled, status === "enabled"),
  ...createdFilters(endpoints.createdAt),
};

const endpointConditions = (ctx: Ctx, query: WebhookEndpointQuery) =>
  owned(ctx, endpoints, existing, ...filtered(endpointFilters, query));

export async function listEndpoints(
  ctx: Ctx,
  query: WebhookEndpointQuery,
  walk: Walk,
): Promise<EndpointRow[]> {
  const { where, orderBy, limit, offset } = keyset(endpoints, walk);
  return db
    .select()
    .from(endpoints)
    .where(and(endpointConditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
}

export async function countEndpoints(
  ctx: Ctx,
  query: WebhookEndpointQuery,
  on: Executor = db,
): Promise<number> {
  return on.$count(endpoints, endpointConditions(ctx, query));
}

/** The enabled endpoints that subscribe to an event type. */
export async function endpointsFor(ctx: Ctx, tx: Tx, type: string): Promise<EndpointRow[]> {
  const told = or(isNull(endpoints.events), sql`${type} = any(${endpoints.events})`);
  return tx
    .select()
    .from(endpoints)
    .where(owned(ctx, endpoints, existing, eq(endpoints.enabled, true), told))
    .orderBy(endpoints.createdAt);
}

const deliveryFilters: Filters<WebhookDeliveryQuery> = {
  webhook_endpoint_id: is(deliveries.endpointId),
  event_id: is(deliveries.eventId),
  status: is(deliveries.status),
  type: is(deliveries.eventType),
  ...createdFilters(deliveries.createdAt),
};

const deliveryConditions = (ctx: Ctx, query: WebhookDeliveryQuery) =>
  owned(ctx, deliveries, ...filtered(deliveryFilters, query));

export async function listDeliveries(
  ctx: Ctx,
  query: WebhookDeliveryQuery,
  walk: Walk,
): Promise<DeliveryRow[]> {
  const { where, orderBy, limit, offset } = keyset(deliveries, walk);
  return db
    .select()
    .from(deliveries)
    .where(and(deliveryConditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
}

export async function countDeliveries(ctx: Ctx, query: WebhookDeliveryQuery): Promise<number> {
  return db.$count(deliveries, deliveryConditions(ctx, query));
}

export type WholeDelivery = {
  delivery: DeliveryRow;
  endpoint: EndpointRow;
  event: EventRow | null;
};

/** A delivery with where it goes and what it tells; also to an endpoint that was deleted. */
export async function findDelivery(ctx: Ctx, id: string): Promise<WholeDelivery | undefined> {
  const [row] = await db
    .select({ delivery: deliveries, endpoint: endpoints, event: events })
    .from(deliveries)
    .innerJoin(
      endpoints,
      and(eq(endpoints.businessId, deliveries.businessId), eq(endpoints.id, deliveries.endpointId)),
    )
    .leftJoin(
      events,
      and(eq(events.businessId, deliveries.businessId), eq(events.id, deliveries.eventId)),
    )
    .where(owned(ctx, deliveries, eq(deliveries.id, id)));
  const [event] = row?.event ? await openEvents([row.event]) : [];
  return row && { ...row, event: event ?? null };
}

/** The newest attempts of a delivery that was found. */
export async function attemptsOf(ctx: Ctx, deliveryId: string, limit = 50): Promise<AttemptRow[]> {
  return db
    .select()
    .from(attempts)
    .where(and(eq(attempts.businessId, ctx.businessId), eq(attempts.deliveryId, deliveryId)))
    .orderBy(desc(attempts.number))
    .limit(limit);
}

export async function insertTestDelivery(
  ctx: Ctx,
  tx: Tx,
  endpointId: string,
  event: { _id: string; type: string } & Record<string, unknown>,
): Promise<DeliveryRow> {
  const [row] = await tx
    .insert(deliveries)
    .values({
      businessId: ctx.businessId,
      mode: ctx.mode,
      id: newId(),
      endpointId,
      eventId: event._id,
      eventType: event.type,
      testEvent: event,
      nextTryAt: sql`now()` as never,
    })
    .returning();
  if (!row) throw new Error("the delivery was not written");
  return row;
}

const again = {
  status: "pending",
  tries: 0,
  nextTryAt: sql`now()`,
  updatedAt: sql`now()`,
} as const;

/** Restarts a delivery at once; undefined when it does not exist. */
export async function restartDelivery(
  ctx: Ctx,
  tx: Tx,
  id: string,
): Promise<DeliveryRow | undefined> {
  const [row] = await tx
    .update(deliveries)
    .set(again as never)
    .where(owned(ctx, deliveries, eq(deliveries.id, id)))
    .returning();
  return row;
}

/** Starts deliveries at `due`: those that exist anew, the others are written. Older versions gave them random ids, so both are looked for. */
async function startDeliveries(ctx: Ctx, tx: Tx, chosen: SQL): Promise<number> {
  const { rows } = await tx.execute<{ count: number }>(sql`
    with chosen as (${chosen}), restarted as (
      update ${deliveries} d set status = 'pending', tries = 0, next_try_at = c.due, updated_at = now() from chosen c
      where d.business_id = ${ctx.businessId} and d.mode = ${ctx.mode} and d.event_id = c.event_id and d.endpoint_id = c.endpoint_id
      returning d.event_id, d.endpoint_id
    ), made as (
      insert into ${deliveries} (business_id, mode, id, endpoint_id, event_id, event_type, next_try_at)
      select ${ctx.businessId}, ${ctx.mode}, ${deliveryId(sql`c.endpoint_id`, sql`c.event_id`)}, c.endpoint_id, c.event_id, c.event_type, c.due from chosen c
      where not exists (select 1 from restarted r where r.event_id = c.event_id and r.endpoint_id = c.endpoint_id)
      on conflict (business_id, id) do update set status = 'pending', tries = 0, next_try_at = excluded.next_try_at, updated_at = excluded.updated_at
    )
    select count(*)::int as count from chosen`);
  return rows[0]?.count ?? 0;
}

/** Delivers an event to endpoints, anew where it was delivered to them before. */
export async function deliverAgain(
  ctx: Ctx,
  tx: Tx,
  event: EventRow,
  endpointIds: readonly string[],
): Promise<DeliveryRow[]> {
  if (endpointIds.length === 0) return [];
  await startDeliveries(
    ctx,
    tx,
    sql`select w.id as endpoint_id, ${event.id}::text as event_id, ${event.type}::text as event_type, now() as due
      from unnest(${sql.param([...endpointIds])}::text[]) as w(id)`,
  );
  return tx
    .select()
    .from(deliveries)
    .where(
      owned(
        ctx,
        deliveries,
        eq(deliveries.eventId, event.id),
        inArray(deliveries.endpointId, [...endpointIds]),
      ),
    )
    .orderBy(deliveries.createdAt, deliveries.id);
}

export type Range = {
  from?: string | undefined;
  to?: string | undefined;
  after?: EventRow | undefined;
  undelivered: boolean;
};

/** Delivers the events of a range to an endpoint, in the order of the log. Returns how many, which may be one more than `limit`: then nothing should be kept. */
export async function replay(
  ctx: Ctx,
  tx: Tx,
  endpoint: EndpointRow,
  range: Range,
  limit: number,
): Promise<number> {
  const ago = sql`now() - make_interval(days => ${webhookLimits.keptDays})`;
  const told = owned(
    ctx,
    events,
    endpoint.events === null ? undefined : inArray(events.type, endpoint.events),
    range.from === undefined ? undefined : gte(events.createdAt, range.from),
    range.to === undefined ? undefined : lte(events.createdAt, range.to),
    range.after === undefined
      ? undefined
      : sql`(${events.xid}, ${events.seq}) > (${range.after.xid}::xid8, ${range.after.seq}::bigint)`,
    range.undelivered
      ? // A delivery that may have been deleted by its age counts as made; as there, the id says when, since clocks of tests set other times.
        sql`(${endpoint.createdAt}::timestamptz > ${ago} or ${events.id} >= partition_bound('events', ${ago})) and
          not exists (select 1 from ${deliveries} d where d.business_id = ${events.businessId} and d.endpoint_id = ${endpoint.id} and d.event_id = ${events.id} and d.delivered_at is not null)`
      : undefined,
  );
  return startDeliveries(
    ctx,
    tx,
    sql`select ${endpoint.id}::text as endpoint_id, id as event_id, type as event_type,
      now() + row_number() over (order by xid, seq) * interval '1 microsecond' as due
      from ${events} where ${told} order by xid, seq limit ${limit + 1}`,
  );
}

/** SQL for a delivery's id: the event's second, then a digest of endpoint and event. So the primary key allows one delivery for each pair. */
export const deliveryId = (endpointId: SQL, eventId: SQL) =>
  sql`left(${eventId}, 8) || left(encode(sha256(convert_to(${endpointId} || ${eventId}, 'UTF8')), 'hex'), 16)`;
