import { and, asc, desc, eq, inArray, lt, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { newRows, nowOf } from "@/db/columns";
import { isDistributed } from "@/db/distributed";
import { currentHorizon } from "@/db/event-horizon";
import { createdFilters, filtered, type Filters, is, isUnfiltered } from "@/db/filters";
import { heavyRead } from "@/db/heavy-reads";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { setwise } from "@/db/sets";
import { events } from "@/db/schema/events";
import type { EventQuery, EventType } from "@/lib/contract/events";
import { silentTypes } from "@/lib/contract/values";
import { newId } from "@/lib/kernel/ids";
import { traceparent } from "@/lib/kernel/trace";
import type { Ctx } from "../context";
import { keysForData, openEvents } from "../payers/rows";
import { payerOf, sealFields } from "../payers/rules";

export type EventRow = typeof events.$inferSelect;
export type NewEvent = {
  type: EventType;
  objectId: string;
  data: Record<string, unknown>;
  mail?: string | null;
  previous?: Record<string, unknown>;
};

/** Writes one event where the change is written, the payer's fields sealed. */
export const insertEvent = setwise<Ctx, NewEvent, void>(async (ctx, on, list) => {
  const instead = { seq: sql`nextval('events_seq_seq')`, createdAt: nowOf(ctx) };
  await on.insert(events).select(newRows(events, await rowsOf(ctx, on, list), instead));
  await notifyOfEvents(ctx, on, list);
  return [];
});

/** Where events are spread over servers, no trigger can notify: no process listens there, and a server that has notified cannot prepare a commit. */
async function notifyOfEvents({ businessId, mode }: Ctx, on: Executor, list: readonly NewEvent[]) {
  const told = list.filter(({ type }) => !(silentTypes as readonly string[]).includes(type));
  if (told.length === 0 || !(await isDistributed())) return;
  const payloads = told.map(({ type, objectId }) =>
    JSON.stringify([businessId, mode, type, objectId]),
  );
  await on.execute(
    sql`select pg_notify('kutip_changes', payload) from unnest(${sql.param(payloads)}::text[]) as payload`,
  );
}

/** The rows of new events. A change of the address has two payers: the old one is in `previous`. */
async function rowsOf(ctx: Ctx, on: Executor, list: readonly NewEvent[]) {
  const { businessId, mode, actor } = ctx;
  const keys = await keysForData(
    on,
    businessId,
    ...list.flatMap((one) => [one.data, one.previous]),
  );
  return list.map((event) => {
    const payer = payerOf(event.data, keys);
    return {
      businessId,
      mode,
      id: newId(),
      type: event.type,
      objectId: event.objectId,
      data: sealFields(event.data, keys),
      actor,
      mail: event.mail ?? null,
      previous: event.previous ? sealFields(event.previous, keys, payer) : null,
      traceparent: traceparent(),
    };
  });
}

export async function findEvent(ctx: Ctx, id: string): Promise<EventRow | undefined> {
  const [row] = await db
    .select()
    .from(events)
    .where(and(eq(events.businessId, ctx.businessId), eq(events.id, id)));
  // Not in the statement: without statistics Postgres takes the indexes of the mode for as good as the key, and reads the whole log.
  return row?.mode === ctx.mode ? (await openEvents([row]))[0] : undefined;
}

/** Those of these ids that belong to an event which is kept. */
export async function keptAmong(ctx: Ctx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .select({ id: events.id })
    .from(events)
    .where(owned(ctx, events, inArray(events.id, [...ids])));
  return new Set(rows.map(({ id }) => id));
}

/** Whether an event is kept. Its month is not dropped before the transaction ends. */
export async function isKept(ctx: Ctx, tx: Tx, id: string): Promise<boolean> {
  const rows = await tx
    .select({ id: events.id })
    .from(events)
    .where(owned(ctx, events, eq(events.id, id)));
  return rows.length > 0;
}

/** Whether a business has events with an id below this one, in either mode. */
export async function hasEventsBelow(businessId: number, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: events.id })
    .from(events)
    .where(and(eq(events.businessId, businessId), lt(events.id, id)))
    .limit(1);
  return rows.length > 0;
}

const filters: Filters<Omit<EventQuery, "after">> = {
  type: is(events.type),
  ...createdFilters(events.createdAt),
};

const conditions = (ctx: Ctx, query: EventQuery) => owned(ctx, events, ...filtered(filters, query));

/**
 * Ascending from behind an event, complete: nothing that commits later can appear before what was returned. With a filter it is a search, since the
 * filter may pass over all events behind the position.
 */
export async function eventsAfter(
  ctx: Ctx,
  query: EventQuery,
  after: EventRow,
  limit: number,
): Promise<EventRow[]> {
  // Asked on the primary, before the snapshot that the events are read in. `(xid, seq)` below it never changes.
  const horizon = await currentHorizon();
  const read = async () => {
    const rows = await db
      .select()
      .from(events)
      .where(
        and(
          conditions(ctx, query),
          // Compared as rows, they are a range of the index.
          sql`(${events.xid}, ${events.seq}) > (${after.xid}::xid8, ${after.seq}::bigint)`,
          sql`${events.xid} < ${horizon}::xid8`,
        ),
      )
      .orderBy(asc(events.xid), asc(events.seq))
      .limit(limit);
    return openEvents(rows);
  };
  return isUnfiltered({ ...query, after: undefined }) ? read() : heavyRead(ctx, "search", read);
}

export async function listEvents(ctx: Ctx, query: EventQuery, walk: Walk): Promise<EventRow[]> {
  const { where, orderBy, limit, offset } = keyset(events, walk);
  const rows = await db
    .select()
    .from(events)
    .where(and(conditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return openEvents(rows);
}

export async function countEvents(ctx: Ctx, query: EventQuery): Promise<number> {
  return db.$count(events, conditions(ctx, query));
}

/** The address that a link had at a version, where its events show a change since. */
export async function earlierAddress(
  ctx: Ctx,
  on: Executor,
  linkId: string,
  version: number,
): Promise<string | undefined> {
  const changes = await on
    .select()
    .from(events)
    .where(
      owned(
        ctx,
        events,
        eq(events.objectId, linkId),
        sql`${events.previous} ->> 'email' is not null`,
        sql`(${events.data} ->> 'version')::integer > ${version}`,
      ),
    )
    .orderBy(asc(events.seq))
    .limit(1);
  const [change] = await openEvents(changes, on);
  return change?.previous?.email as string | undefined;
}

/** The newest events about one object or several, for a timeline; `types` leaves out all others. */
export async function eventsAbout(
  ctx: Ctx,
  objectIds: string | readonly string[],
  limit = 200,
  types?: readonly EventType[],
): Promise<EventRow[]> {
  const rows = await db
    .select()
    .from(events)
    .where(
      owned(
        ctx,
        events,
        inArray(events.objectId, [objectIds].flat()),
        types && inArray(events.type, [...types]),
      ),
    )
    .orderBy(desc(events.seq))
    .limit(limit);
  return openEvents(rows);
}
