import { and, eq, sql } from "drizzle-orm";
import { db, type Tx } from "@/db/client";
import { isoSql, type Mode } from "@/db/columns";
import { eventHorizon } from "@/db/event-horizon";
import { eventCursors, events } from "@/db/schema/events";
import {
  webhookAttempts as attempts,
  webhookDeliveries as deliveries,
  webhookEndpoints as endpoints,
} from "@/db/schema/webhooks";
import { rowId } from "../rows";

const reader = "webhooks";

/** Turns the next events of the log into deliveries, one an endpoint that is told of them; undefined when another worker is at it. Answers how many events. */
export async function unscopedFanOut(tx: Tx, limit: number): Promise<number | undefined> {
  await tx.insert(eventCursors).values({ reader, xid: "0", seq: 0 }).onConflictDoNothing();
  const [cursor] = await tx
    .select()
    .from(eventCursors)
    .where(eq(eventCursors.reader, reader))
    .for("update", { skipLocked: true });
  if (!cursor) return undefined;
  const { rows } = await tx.execute<{ count: number }>(sql`
    with batch as (
      select business_id, mode, id, type, xid, seq from ${events}
      where xid < ${eventHorizon} and (xid, seq) > (${cursor.xid}::xid8, ${cursor.seq}::bigint)
      order by xid, seq limit ${limit}
    ), made as (
      insert into ${deliveries} (business_id, mode, id, endpoint_id, event_id, event_type, next_try_at)
      select b.business_id, b.mode, ${rowId}, w.id, b.id, b.type, now() + (row_number() over (order by b.xid, b.seq)) * interval '1 microsecond'
      from batch b join ${endpoints} w on w.business_id = b.business_id and w.mode = b.mode and w.enabled and w.deleted_at is null
        and (w.events is null or b.type = any(w.events)) and (b.xid = '0' or not pg_visible_in_snapshot(b.xid, w.since))
      on conflict do nothing
    ), moved as (
      update ${eventCursors} c set xid = last.xid, seq = last.seq from (select xid, seq from batch order by xid desc, seq desc limit 1) last where c.reader = ${reader}
    )
    select count(*)::int as count from batch`);
  return rows[0]?.count ?? 0;
}

export type Place = { businessId: number; id: string };

const free = (row: string) =>
  sql.raw(`(${row}.leased_until is null or ${row}.leased_until <= now())`);

/** Endpoints with something due that no worker serves, those first whose last turn is longest ago. */
export async function unscopedWaitingEndpoints(
  limit: number,
  businessId?: number,
): Promise<Place[]> {
  const { rows } = await db.execute<{ business_id: number; id: string }>(sql`
    select w.business_id, w.id from ${endpoints} w
    where w.enabled and w.deleted_at is null and ${free("w")} ${businessId === undefined ? sql`` : sql`and w.business_id = ${businessId}`}
      and exists (select from ${deliveries} d where d.business_id = w.business_id and d.endpoint_id = w.id and d.next_try_at <= now() and ${free("d")})
    order by w.leased_until nulls first limit ${limit}`);
  return rows.map((row) => ({ businessId: row.business_id, id: row.id }));
}

/** What a worker has taken to deliver: all it needs, so that nothing is read again. */
export type Claimed = {
  businessId: number;
  mode: Mode;
  id: string;
  endpointId: string;
  fence: number;
  tries: number;
  eventId: string;
  testEvent: Record<string, unknown> | null;
  event: { id: string; type: string; createdAt: string; data: Record<string, unknown> } | null;
  url: string;
  secrets: string[];
};

type ClaimedRow = {
  business_id: number;
  mode: Mode;
  id: string;
  fence: number;
  tries: number;
  event_id: string;
  test_event: Record<string, unknown> | null;
  type: string | null;
  created_at: string | null;
  data: Record<string, unknown> | null;
  url: string;
  secret: string;
  previous: string | null;
};

/** Takes the endpoint's turn for `worker`, or keeps it, and claims what is due, oldest first; nothing when another worker has the turn. */
export async function unscopedClaim(
  worker: string,
  { businessId, id }: Place,
  limit: number,
  leaseSeconds: number,
): Promise<Claimed[]> {
  const lease = sql`now() + make_interval(secs => ${leaseSeconds})`;
  const { rows } = await db.execute<ClaimedRow>(sql`
    with turn as (
      update ${endpoints} w set leased_by = ${worker}, leased_until = ${lease}
      where w.business_id = ${businessId} and w.id = ${id} and w.enabled and w.deleted_at is null and (w.leased_by = ${worker} or ${free("w")})
      returning w.business_id, w.id, w.url, w.secret, case when w.previous_until > now() then w.previous_secret end as previous
    ), picked as (
      select d.business_id, d.id from ${deliveries} d join turn t on t.business_id = d.business_id and t.id = d.endpoint_id
      where d.next_try_at <= now() and ${free("d")} order by d.next_try_at limit ${limit} for update of d skip locked
    ), claimed as (
      update ${deliveries} d set leased_until = ${lease}, fence = d.fence + 1 from picked p where d.business_id = p.business_id and d.id = p.id returning d.*
    )
    select c.business_id, c.mode, c.id, c.fence, c.tries, c.event_id, c.test_event, e.type, ${isoSql(sql`e.created_at`)} as created_at, e.data, t.url, t.secret, t.previous
    from claimed c join turn t on true left join ${events} e on e.business_id = c.business_id and e.id = c.event_id
    order by c.next_try_at`);
  return rows.map((row) => ({
    businessId: row.business_id,
    mode: row.mode,
    id: row.id,
    endpointId: id,
    fence: row.fence,
    tries: row.tries,
    eventId: row.event_id,
    testEvent: row.test_event,
    event:
      row.type === null || row.created_at === null || row.data === null
        ? null
        : { id: row.event_id, type: row.type, createdAt: row.created_at, data: row.data },
    url: row.url,
    secrets: row.previous === null ? [row.secret] : [row.secret, row.previous],
  }));
}

/** Gives the turn back; when that was is kept, since who waits longest comes first. */
export async function unscopedGiveBack(worker: string, { businessId, id }: Place): Promise<void> {
  await db
    .update(endpoints)
    .set({ leasedBy: null, leasedUntil: sql`now()` as never })
    .where(
      and(
        eq(endpoints.businessId, businessId),
        eq(endpoints.id, id),
        eq(endpoints.leasedBy, worker),
      ),
    );
}

export type Outcome = Pick<Claimed, "businessId" | "id" | "fence"> & {
  delivered: boolean;
  status: number | null;
  error: string | null;
  response: string | null;
  ms: number;
  startedAt: string;
  /** Seconds until the next attempt; null when this was the last. */
  wait: number | null;
};

/** Writes what became of attempts, each only under the fence it was claimed with; one that was stopped meanwhile stays so unless it was delivered. */
export async function unscopedRecord(outcomes: readonly Outcome[]): Promise<void> {
  await db.execute(sql`
    with o as (
      select * from jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb)
        as o("businessId" int, id text, fence int, delivered bool, status int, error text, response text, ms int, "startedAt" timestamptz, wait float8)
    ), written as (
      update ${deliveries} d set attempts = d.attempts + 1, tries = d.tries + 1, last_status_code = o.status, last_error = o.error, leased_until = null, updated_at = now(),
        status = case when o.delivered then 'delivered' when d.status <> 'pending' then d.status when o.wait is null then 'failed' else 'pending' end,
        next_try_at = case when o.delivered or d.status <> 'pending' or o.wait is null then null else now() + make_interval(secs => o.wait) end,
        delivered_at = case when o.delivered then now() else d.delivered_at end
      from o where d.business_id = o."businessId" and d.id = o.id and d.fence = o.fence
      returning d.business_id, d.id, d.attempts, o.status, o.error, o.response, o.ms, o."startedAt"
    )
    insert into ${attempts} (business_id, delivery_id, number, status_code, error, response, duration_ms, started_at)
    select business_id, id, attempts, status, error, response, ms, "startedAt" from written`);
}

/** Lets others have what was claimed and not begun. */
export async function unscopedRelease(list: readonly Claimed[]): Promise<void> {
  if (list.length === 0) return;
  const keys = JSON.stringify(list.map(({ businessId, id, fence }) => ({ businessId, id, fence })));
  await db.execute(sql`
    update ${deliveries} d set leased_until = null from jsonb_to_recordset(${keys}::jsonb) as o("businessId" int, id text, fence int)
    where d.business_id = o."businessId" and d.id = o.id and d.fence = o.fence`);
}

/** Stops what waits for endpoints that are disabled or deleted: it was made in the moment that they were. Answers how many. */
export async function unscopedStopStranded(limit = 5_000): Promise<number> {
  const { rowCount } = await db.execute(sql`
    update ${deliveries} set status = 'stopped', next_try_at = null, updated_at = now() where (business_id, id) in (
      select d.business_id, d.id from ${endpoints} w join ${deliveries} d on d.business_id = w.business_id and d.endpoint_id = w.id and d.next_try_at is not null
      where not w.enabled or w.deleted_at is not null limit ${limit})`);
  return rowCount ?? 0;
}

/** Forgets what is settled and older than that many days, an endpoint at a time; answers how many. */
export async function unscopedPurgeDeliveries(days: number, limit = 5_000): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from ${deliveries} where (business_id, id) in (
      select d.business_id, d.id from ${endpoints} w, lateral (
        select business_id, id from ${deliveries} o where o.business_id = w.business_id and o.endpoint_id = w.id and o.created_at < now() - make_interval(days => ${days}) and o.status <> 'pending'
        order by o.created_at limit ${limit}
      ) d limit ${limit})`);
  return rowCount ?? 0;
}
