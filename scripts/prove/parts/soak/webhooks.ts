import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { expected, told, waitWhileMoving } from "../proof";
import type { Manner, Receiver } from "../webhooks";

const STILL_SECONDS = 60;
const LOOK_MS = 1_000;
const FAILS = 0.2;
const HANGS = 0.003;

/** Fails a fifth of the time, and sometimes never answers. */
export const failsAndHangs =
  (random: () => number): Manner =>
  (answer) => {
    const chance = random();
    if (chance >= HANGS) answer(chance < HANGS + FAILS ? 500 : 200);
  };

/** The ids of all events of a business. */
export async function eventIds(businessId: number): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from events where business_id = ${businessId}`,
  );
  return rows.map(({ id }) => id);
}

/** The events that were committed before one of a business's endpoints was made: they are not sent there. */
export async function eventsBeforeEndpoints(businessId: number): Promise<Set<string>> {
  const { rows } = await db.execute<{ id: string }>(
    sql`select e.id from events e where e.business_id = ${businessId} and exists (
      select from webhook_endpoints w where w.business_id = e.business_id and pg_visible_in_snapshot(e.xid, w.since))`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** The events that a receiver has not taken; `before` are those that are older than its endpoint. */
export async function undelivered(
  businessId: number,
  { taken }: Receiver,
  before: ReadonlySet<string>,
): Promise<string[]> {
  return (await eventIds(businessId)).filter((id) => !before.has(id) && !taken.has(id));
}

/** Where events are that did not arrive: in the queue, or at an endpoint. */
async function whereaboutsOf(ids: readonly string[]): Promise<unknown[]> {
  const { rows } = await db.execute(
    sql`select e.type, e.id, (select jsonb_agg(to_jsonb(q) - 'event_id') from event_queue q where q.event_id = e.id) as queued,
      (select jsonb_agg(jsonb_build_object('status', d.status, 'next_try_at', d.next_try_at, 'leased_until', d.leased_until))
        from webhook_deliveries d where d.event_id = e.id) as deliveries
      from events e where e.id = any(${sql.param([...new Set(ids)])}::text[])`,
  );
  return rows;
}

/** Waits until each receiver has every event. The schedule of retries takes days: each retry is made due at once. */
export async function compareWebhooks(
  businessId: number,
  receivers: readonly Receiver[],
  before: ReadonlySet<string>,
): Promise<void> {
  const look = async () => {
    await db.execute(
      sql`update webhook_deliveries set next_try_at = now() where business_id = ${businessId} and next_try_at > now() and leased_until is null`,
    );
    return Promise.all(receivers.map((one) => undelivered(businessId, one, before)));
  };
  const left = await waitWhileMoving(
    // A row may be locked for longer than a statement waits: the next look finds it free.
    () => look().catch((error: Error) => [[String(error.cause)]]),
    (found) => found.every(({ length }) => length === 0),
    STILL_SECONDS,
    LOOK_MS,
  );
  if (left.some(({ length }) => length > 0))
    told("where they are", JSON.stringify(await whereaboutsOf(left.flat())), false);
  const events = (await eventIds(businessId)).filter((id) => !before.has(id)).length;
  told("events", events, events > 0);
  for (const [at, { name, requests, taken, forged, changed }] of receivers.entries()) {
    told(`webhooks, receiver ${name}: requests`, requests, requests > 0);
    expected(`webhooks, receiver ${name}: not delivered`, left[at], []);
    told(`webhooks, receiver ${name}: taken`, taken.size, taken.size >= events);
    expected(`webhooks, receiver ${name}: forged, changed by a retry`, [forged, changed], [0, 0]);
  }
}
