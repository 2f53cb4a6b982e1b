import { eq, isNull, type SQL, sql } from "drizzle-orm";
import { db, type Tx } from "@/db/client";
import { isoSql } from "@/db/columns";
import { byBusiness } from "@/db/distributed";
import { owned } from "@/db/owned";
import { events } from "@/db/schema/events";
import type { Mode } from "@/lib/contract/values";
import {
  webhookAttempts as attempts,
  webhookDeliveries as deliveries,
  webhookEndpoints as endpoints,
} from "@/db/schema/webhooks";
import { type Due, type Row, SKIP_LOCKED } from "@/lib/jobs/claim-rows";
import type { Shown } from "@/lib/jobs/state-rows";
import type { Ctx } from "../context";
import type { QueuedEvent } from "../events/queue-rows";
import { openEvents } from "../payers/rows";
import { deliveryId } from "./rows";

/** Turns events of one business into deliveries: one for each endpoint of their business that takes them. */
export async function unscopedFanOut(tx: Tx, queued: readonly QueuedEvent[]): Promise<void> {
  const [first] = queued;
  if (!first) return;
  const { businessId } = first;
  const ids = queued.map(({ eventId }) => eventId);
  await tx.execute(sql`
    with batch as (
      select business_id, mode, id, type, xid, seq from ${events} where business_id = ${businessId} and id = any(${sql.param(ids)}::text[])
    )
    insert into ${deliveries} (business_id, mode, id, endpoint_id, event_id, event_type, next_try_at)
    select b.business_id, b.mode, ${deliveryId(sql`w.id`, sql`b.id`)}, w.id, b.id, b.type, now() + (row_number() over (order by b.xid, b.seq)) * interval '1 microsecond'
    from batch b join ${endpoints} w on w.business_id = ${businessId} and w.mode = b.mode and w.enabled and w.deleted_at is null
      and (w.events is null or b.type = any(w.events)) and (b.xid = '0' or not pg_visible_in_snapshot(b.xid, w.since))
    on conflict do nothing`);
}

/** A delivery that is due and that no worker has: `d`. */
const dueDelivery = sql.raw(
  "d.next_try_at <= now() and (d.leased_until is null or d.leased_until <= now())",
);

const firstDue = (businessId: SQL) =>
  sql`(select min(d.next_try_at) from ${deliveries} d where d.business_id = ${businessId} and d.endpoint_id = ${endpoints.id} and ${dueDelivery})`;

/** Endpoints with something to deliver. */
export const dueEndpoints: Due<typeof endpoints> = {
  table: endpoints,
  fairBy: [endpoints.businessId],
  moment: firstDue(sql`${endpoints.businessId}`),
  momentOf: firstDue,
  where: sql`${endpoints.enabled} and ${endpoints.deletedAt} is null`,
};

/** Deliveries that wait for their next attempt. */
export const waitingDeliveries: Shown = {
  table: deliveries,
  moment: deliveries.nextTryAt,
  where: sql`${deliveries.nextTryAt} is not null`,
};

/** How many deliveries of all businesses are due, up to `limit`. */
export async function unscopedCountDueDeliveries(limit: number): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`
    select count(*)::float8 as count from (select 1 from ${deliveries} where next_try_at is not null and next_try_at <= now() limit ${limit}) due`);
  return rows[0]?.count ?? 0;
}

/** How many deliveries were tried for the last time; those of test events do not count. */
export const countFailedDeliveries = (ctx: Ctx): Promise<number> =>
  db.$count(
    deliveries,
    owned(ctx, deliveries, eq(deliveries.status, "failed"), isNull(deliveries.testEvent)),
  );

export type ClaimedEndpoint = Row<typeof endpoints>;

/** What a worker has taken to deliver: all it needs, so that nothing is read again. */
export type Claimed = {
  businessId: number;
  mode: Mode;
  id: string;
  endpointId: string;
  fence: number;
  tries: number;
  /** Since when it was due, with microseconds: sending it again changes that. */
  dueAt: string;
  eventId: string;
  testEvent: Record<string, unknown> | null;
  /** The trace of what made the event. */
  traceparent: string | null;
  event: {
    id: string;
    type: string;
    mode: Mode;
    createdAt: string;
    data: Record<string, unknown>;
  } | null;
  url: string;
  secrets: string[];
};

type ClaimedRow = {
  business_id: number;
  mode: Mode;
  id: string;
  fence: number;
  tries: number;
  due_at: string;
  event_id: string;
  test_event: Record<string, unknown> | null;
  type: string | null;
  created_at: string | null;
  data: Record<string, unknown> | null;
  traceparent: string | null;
  url: string;
  secret: string;
  previous: string | null;
  earlier: string | null;
};

/** Claims what is due for an endpoint that its worker still has, oldest first. */
export async function unscopedClaimDeliveries(
  { businessId, id, fence }: Pick<ClaimedEndpoint, "businessId" | "id" | "fence">,
  limit: number,
  leaseSeconds: number,
): Promise<Claimed[]> {
  const { rows } = await db.execute<ClaimedRow>(sql`
    with endpoint as (
      select w.business_id, w.id, w.url, w.secret,
        case when w.previous_until > now() then w.previous_secret end as previous, case when w.earlier_until > now() then w.earlier_secret end as earlier
      from ${endpoints} w where w.business_id = ${businessId} and w.id = ${id} and w.fence = ${fence} and w.enabled and w.deleted_at is null
    ), picked as materialized (
      select d.business_id, d.id from ${deliveries} d join endpoint t on t.business_id = d.business_id and t.id = d.endpoint_id
      where ${dueDelivery} order by d.next_try_at limit ${limit}
    ), claimed as (
      update ${deliveries} d set leased_until = now() + make_interval(secs => ${leaseSeconds}), fence = d.fence + 1
      from picked p where d.business_id = p.business_id and d.id = p.id and ${dueDelivery} returning d.*
    )
    select c.business_id, c.mode, c.id, c.fence, c.tries, c.next_try_at::text as due_at, c.event_id, c.test_event, e.type, ${isoSql(sql`e.created_at`)} as created_at, e.data, e.traceparent, t.url, t.secret, t.previous, t.earlier
    from claimed c join endpoint t on true left join ${events} e on e.business_id = c.business_id and e.id = c.event_id
    order by c.next_try_at`);
  const opened = await openEvents(
    rows.map((row) => ({ businessId: row.business_id, data: row.data ?? {} })),
  );
  return rows.map((row, at) => ({
    businessId: row.business_id,
    mode: row.mode,
    id: row.id,
    endpointId: id,
    fence: row.fence,
    tries: row.tries,
    dueAt: row.due_at,
    eventId: row.event_id,
    testEvent: row.test_event,
    traceparent: row.traceparent,
    event:
      row.type === null || row.created_at === null || row.data === null
        ? null
        : {
            id: row.event_id,
            type: row.type,
            mode: row.mode,
            createdAt: row.created_at,
            data: opened[at]?.data ?? {},
          },
    url: row.url,
    secrets: [row.secret, row.previous, row.earlier].filter((secret) => secret !== null),
  }));
}

export type Outcome = Pick<Claimed, "businessId" | "id" | "fence" | "dueAt"> & {
  delivered: boolean;
  status: number | null;
  error: string | null;
  response: string | null;
  ms: number;
  startedAt: string;
  /** Seconds until the next attempt; null when this was the last. */
  wait: number | null;
};

/**
 * Writes what became of attempts, each once and only under the claim that it was made with. A delivery that was stopped meanwhile stays so, and
 * one that was started anew stays due, unless it was delivered. Leaves out rows that others have locked, unless it `waits`. Returns the ids of the
 * written ones.
 */
export async function unscopedRecord(
  outcomes: readonly Outcome[],
  { waits = false } = {},
): Promise<Set<string>> {
  const restarted = sql.raw(
    `(not o.delivered and d.status = 'pending' and d.next_try_at <> o."dueAt")`,
  );
  const skip = waits ? sql.raw("") : SKIP_LOCKED;
  const results = await byBusiness(deliveries, outcomes, (some, ofBusiness) =>
    db.execute<{ id: string }>(sql`
    with o as (
      select * from jsonb_to_recordset(${JSON.stringify(some)}::jsonb)
        as o("businessId" int, id text, fence int, "dueAt" timestamptz, delivered bool, status int, error text, response text, ms int, "startedAt" timestamptz, wait float8)
    ), written as (
      update ${deliveries} d set attempts = d.attempts + 1, tries = case when ${restarted} then d.tries else d.tries + 1 end, last_status_code = o.status, last_error = o.error, leased_until = null, updated_at = now(),
        status = case when o.delivered then 'delivered' when d.status <> 'pending' then d.status when o.wait is null and not ${restarted} then 'failed' else 'pending' end,
        next_try_at = case when ${restarted} then d.next_try_at when o.delivered or d.status <> 'pending' or o.wait is null then null else (select now() + make_interval(secs => o.wait)) end,
        delivered_at = case when o.delivered then (select now()) else d.delivered_at end
      from (
        select o.* from ${deliveries} d, o
        where d.business_id = o."businessId" and d.id = o.id and d.fence = o.fence and d.leased_until is not null${ofBusiness("d")}
        order by d.business_id, d.id for no key update of d ${skip}
      ) o where d.business_id = o."businessId" and d.id = o.id${ofBusiness("d")}
      returning d.business_id, d.id, d.attempts, o.status, o.error, o.response, o.ms, o."startedAt"
    )
    insert into ${attempts} (business_id, delivery_id, number, status_code, error, response, duration_ms, started_at)
    select business_id, id, attempts, status, error, response, ms, "startedAt" from written returning delivery_id as id`),
  );
  return new Set(results.flatMap(({ rows }) => rows.map(({ id }) => id)));
}

/** Releases claims that were not started. */
export async function unscopedRelease(list: readonly Claimed[]): Promise<void> {
  if (list.length === 0) return;
  const keys = JSON.stringify(list.map(({ businessId, id, fence }) => ({ businessId, id, fence })));
  await db.execute(sql`
    update ${deliveries} d set leased_until = null from jsonb_to_recordset(${keys}::jsonb) as o("businessId" int, id text, fence int)
    where d.business_id = o."businessId" and d.id = o.id and d.fence = o.fence`);
}

/** Stops deliveries that were created while their endpoint was being disabled or deleted. Returns their number. */
export async function unscopedStopStranded(limit = 5_000): Promise<number> {
  const { rowCount } = await db.execute(sql`
    update ${deliveries} set status = 'stopped', next_try_at = null, updated_at = now() where (business_id, id) in (
      select d.business_id, d.id from ${endpoints} w join ${deliveries} d on d.business_id = w.business_id and d.endpoint_id = w.id and d.next_try_at is not null
      where not w.enabled or w.deleted_at is not null limit ${limit})`);
  return rowCount ?? 0;
}

/** Forgets what is settled, and has not changed for that many days, an endpoint at a time. Returns how many. */
export async function unscopedPurgeDeliveries(days: number, limit = 5_000): Promise<number> {
  const ago = sql`now() - make_interval(days => ${days})`;
  const { rowCount } = await db.execute(sql`
    delete from ${deliveries} where (business_id, id) in (
      select d.business_id, d.id from ${endpoints} w, lateral (
        select business_id, id from ${deliveries} o where o.business_id = w.business_id and o.endpoint_id = w.id and o.created_at < ${ago} and o.updated_at < ${ago} and o.id < partition_bound('webhook_deliveries', ${ago}) and o.status <> 'pending'
        order by o.created_at limit ${limit}
      ) d limit ${limit})`);
  return rowCount ?? 0;
}
