import { sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { db } from "@/db/client";
import { eventCursors, events } from "@/db/schema/events";
import { mails } from "@/db/schema/mails";
import { paymentLinks as links } from "@/db/schema/payment-links";
import { gatewayEvents, payments, refunds } from "@/db/schema/payments";
import { subscriptionPeriods as periods } from "@/db/schema/subscription-periods";
import { testClocks as clocks } from "@/db/schema/test-clocks";
import { tokenizations } from "@/db/schema/tokenizations";
import { webhookDeliveries, webhookEndpoints } from "@/db/schema/webhooks";
import { workers } from "@/db/schema/workers";

const lag = (
  moment: ReturnType<typeof sql>,
  from: ReturnType<typeof sql>,
  where: ReturnType<typeof sql>,
) =>
  sql<number>`coalesce((select extract(epoch from now() - min(${moment})) from ${from} where ${where}), 0)::float8`;

// Since when an endpoint has something due and no worker has come: one that hangs or fails is late by itself, which is not the worker's lateness.
const webhookLag = sql<number>`coalesce((
  select extract(epoch from now() - min(greatest(d.due, w.leased_until))) from ${webhookEndpoints} w, lateral (
    select min(next_try_at) as due from ${webhookDeliveries} o where o.business_id = w.business_id and o.endpoint_id = w.id and o.next_try_at <= now() and (o.leased_until is null or o.leased_until <= now())
  ) d where w.enabled and w.deleted_at is null and d.due is not null and (w.leased_until is null or w.leased_until <= now())), 0)::float8`;

// What each reader of the event log follows, in the words of the index it goes by.
const followed = {
  webhooks: sql`true`,
  subscriptions: sql`type in ('payment.succeeded', 'payment.failed', 'payment_link.paid', 'tokenization.activated')`,
  mail: sql`mail is not null`,
};

// The id of an event begins with its real second, whatever clock it counts by. A reader that has never begun is at the log's beginning.
const readerLag = (reader: keyof typeof followed) => sql<number>`coalesce((
  select extract(epoch from now()) - ('x' || left(e.id, 8))::bit(32)::bigint from (select) once left join ${eventCursors} c on c.reader = ${reader}, lateral (
    select id from ${events} where ${followed[reader]} and (xid, seq) > (coalesce(c.xid, '0'), coalesce(c.seq, 0))
    order by xid, seq limit 1
  ) e), 0)::float8`;

// What a payer is at the gateway with expires when that attempt is over, which is looked after by itself.
const linkLag = lag(
  sql`${links.expiresAt}`,
  sql`${links}`,
  sql`${links.status} = 'Active' and ${links.expiresAt} is not null and ${links.deletedAt} is null and ${links.expiresAt} <= now() and ${links.openPaymentId} is null`,
);
const tokenLag = lag(
  sql`${tokenizations.expiresAt}`,
  sql`${tokenizations}`,
  sql`${tokenizations.status} = 'pending' and ${tokenizations.expiresAt} <= now() and ${tokenizations.attemptAt} is null`,
);

// An advance that waits behind another one of its business is not late: it has no lease and no slice to wait for.
const advanceLag = lag(
  sql`${clocks.nextSliceAt}`,
  sql`${clocks}`,
  sql`${clocks.advancingTo} is not null and ${clocks.advancePausedAt} is null and ${clocks.deletedAt} is null and ${clocks.nextSliceAt} <= now()
    and (${clocks.leasedUntil} is null or ${clocks.leasedUntil} <= now())
    and not exists (select from test_clocks o where o.business_id = ${clocks.businessId} and o.advancing_to is not null and o.advance_paused_at is null
      and o.deleted_at is null and (o.advance_requested_at, o.id) < (${clocks.advanceRequestedAt}, ${clocks.id}))`,
);

// Due rows count while no worker has them, and while the second try at them goes on: what fails at every try is late.
const unclaimed = (table: { leasedUntil: AnyPgColumn; fence: AnyPgColumn }) =>
  sql`(${table.leasedUntil} is null or ${table.leasedUntil} <= now() or ${table.fence} >= 2)`;

const lags = {
  payment: lag(
    sql`${payments.nextCheckAt}`,
    sql`${payments}`,
    sql`${payments.nextCheckAt} <= now() and ${unclaimed(payments)}`,
  ),
  refund: lag(
    sql`${refunds.nextCheckAt}`,
    sql`${refunds}`,
    sql`${refunds.nextCheckAt} <= now() and ${unclaimed(refunds)}`,
  ),
  period: lag(
    sql`${periods.nextAttemptAt}`,
    sql`${periods}`,
    sql`${periods.nextAttemptAt} <= now() and ${periods.testClockId} is null and ${unclaimed(periods)}`,
  ),
  tokenization: lag(
    sql`${tokenizations.nextCheckAt}`,
    sql`${tokenizations}`,
    sql`${tokenizations.nextCheckAt} <= now() and ${unclaimed(tokenizations)}`,
  ),
  mail: lag(
    sql`${mails.nextTryAt}`,
    sql`${mails}`,
    sql`${mails.nextTryAt} <= now() and (${mails.leasedUntil} is null or ${mails.leasedUntil} <= now())`,
  ),
  callback: lag(
    sql`${gatewayEvents.nextTryAt}`,
    sql`${gatewayEvents}`,
    sql`${gatewayEvents.nextTryAt} <= now()`,
  ),
  webhook: webhookLag,
  "webhook-event": readerLag("webhooks"),
  "follow-up": readerLag("subscriptions"),
  "mail-event": readerLag("mail"),
  link: linkLag,
  token: tokenLag,
  test_clock: advanceLag,
};

/** A kind of work that can be late. */
export type WorkKindName = keyof typeof lags;

/** Work whose kind was finished somewhere within this time is a backlog that moves; longer than the longest look at a gateway. */
const MOVING_SECONDS = 120;

/**
 * Seconds since a worker was last seen (null: never) and by which the oldest due work is late. Work of a kind that some worker has just
 * finished pieces of is not late, however old: a large backlog, or one business whose gateway hangs, is no failure of the install.
 */
export async function unscopedWorkState(): Promise<{
  seenSecondsAgo: number | null;
  lateSeconds: number;
}> {
  const late = Object.entries(lags).map(
    ([kind, seconds]) =>
      sql`case when coalesce((moved.at ->> ${kind})::float8, 0) > extract(epoch from now()) - ${MOVING_SECONDS} then 0 else ${seconds} end`,
  );
  const result = await db.execute<{ seen: number | null; late: number }>(sql`
    select (select extract(epoch from now() - max(${workers.seenAt}))::float8 from ${workers}) as seen,
      greatest(${sql.join(late, sql`, `)})::float8 as late
    from (select (select jsonb_object_agg(key, at) from (
      select p.key, max(p.value::float8) as at from ${workers}, jsonb_each_text(${workers.progress}) p group by p.key) newest) as at) moved`);
  const row = result.rows[0];
  return { seenSecondsAgo: row?.seen ?? null, lateSeconds: row?.late ?? 0 };
}
