import { and, desc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { db } from "@/db/client";
import { owned } from "@/db/owned";
import { eventCursors, events } from "@/db/schema/events";
import { mails } from "@/db/schema/mails";
import { paymentLinks as links } from "@/db/schema/payment-links";
import { gatewayEvents, payments, refunds } from "@/db/schema/payments";
import { subscriptionPeriods as periods } from "@/db/schema/subscription-periods";
import { testClocks as clocks } from "@/db/schema/test-clocks";
import { tokenizations } from "@/db/schema/tokenizations";
import { webhookDeliveries, webhookEndpoints } from "@/db/schema/webhooks";
import { workers } from "@/db/schema/workers";
import { workKinds } from "@/lib/contract/values";
import type { WorkKind, WorkState } from "@/lib/contract/work";
import type { Ctx } from "@/lib/domain/context";

/** Shows that a worker is at work, and sweeps those that have not been for an hour. Answers 0: there is never more to do at once. */
export async function unscopedBeat(id: string, pid: number): Promise<number> {
  await db
    .insert(workers)
    .values({ id, pid })
    .onConflictDoUpdate({ target: workers.id, set: { seenAt: sql`now()` } });
  await db.delete(workers).where(sql`${workers.seenAt} < now() - interval '1 hour'`);
  return 0;
}

/** A worker that stops in order is not missed. */
export async function unscopedLeave(id: string): Promise<void> {
  await db.delete(workers).where(eq(workers.id, id));
}

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

/** Seconds since a worker was last seen (null: never) and by which the oldest due work is late. */
export async function unscopedWorkState(): Promise<{
  seenSecondsAgo: number | null;
  lateSeconds: number;
}> {
  const due = (column: ReturnType<typeof sql>) => sql`${column} <= now()`;
  const result = await db.execute<{ seen: number | null; late: number }>(sql`
    select (select extract(epoch from now() - max(${workers.seenAt}))::float8 from ${workers}) as seen,
      greatest(
        ${lag(sql`${payments.nextCheckAt}`, sql`${payments}`, sql`${due(sql`${payments.nextCheckAt}`)} and (${payments.leasedUntil} is null or ${payments.leasedUntil} <= now())`)},
        ${lag(sql`${refunds.nextCheckAt}`, sql`${refunds}`, sql`${due(sql`${refunds.nextCheckAt}`)} and (${refunds.leasedUntil} is null or ${refunds.leasedUntil} <= now())`)},
        ${lag(sql`${periods.nextAttemptAt}`, sql`${periods}`, sql`${due(sql`${periods.nextAttemptAt}`)} and ${periods.testClockId} is null and (${periods.leasedUntil} is null or ${periods.leasedUntil} <= now())`)},
        ${lag(sql`${mails.nextTryAt}`, sql`${mails}`, sql`${due(sql`${mails.nextTryAt}`)} and (${mails.leasedUntil} is null or ${mails.leasedUntil} <= now())`)},
        ${lag(sql`${gatewayEvents.nextTryAt}`, sql`${gatewayEvents}`, due(sql`${gatewayEvents.nextTryAt}`))},
        ${webhookLag},
        ${readerLag("webhooks")},
        ${readerLag("subscriptions")},
        ${readerLag("mail")},
        ${linkLag},
        ${tokenLag},
        ${advanceLag},
        ${lag(sql`${tokenizations.nextCheckAt}`, sql`${tokenizations}`, sql`${due(sql`${tokenizations.nextCheckAt}`)} and (${tokenizations.leasedUntil} is null or ${tokenizations.leasedUntil} <= now())`)}
      ) as late`);
  const row = result.rows[0];
  return { seenSecondsAgo: row?.seen ?? null, lateSeconds: row?.late ?? 0 };
}

/** The processes that were seen within the last hour and have not stopped in order. */
export async function unscopedWorkers(): Promise<WorkState["workers"]> {
  const rows = await db
    .select({
      started_at: workers.startedAt,
      seen_at: workers.seenAt,
      at_work: sql<boolean>`${workers.seenAt} > now() - interval '20 seconds'`,
    })
    .from(workers)
    .orderBy(desc(workers.startedAt));
  return rows;
}

const sources = {
  charges: [periods, periods.nextAttemptAt, isNull(periods.testClockId)],
  payments: [payments, payments.nextCheckAt, isNotNull(payments.nextCheckAt)],
  refunds: [refunds, refunds.nextCheckAt, isNotNull(refunds.nextCheckAt)],
  activations: [tokenizations, tokenizations.nextCheckAt, isNotNull(tokenizations.nextCheckAt)],
  webhooks: [
    webhookDeliveries,
    webhookDeliveries.nextTryAt,
    isNotNull(webhookDeliveries.nextTryAt),
  ],
  mails: [mails, mails.nextTryAt, isNotNull(mails.nextTryAt)],
  expiries: [links, links.expiresAt, and(eq(links.status, "Active"), isNull(links.deletedAt))],
} as const satisfies Record<WorkKind, unknown>;

/** What waits for its time and what is due, by kind, of this business and mode. */
export async function workWaiting(ctx: Ctx): Promise<WorkState["work"]> {
  return Promise.all(
    workKinds.map(async (kind) => {
      const [table, moment, where] = sources[kind];
      const [row] = await db
        .select({
          planned: sql<number>`(count(*) filter (where ${moment} > now()))::int`,
          due: sql<number>`(count(*) filter (where ${moment} <= now()))::int`,
          oldest_due_at: sql<
            string | null
          >`min(${moment}) filter (where ${moment} <= now())`.mapWith(moment),
          next_at: sql<string | null>`min(${moment}) filter (where ${moment} > now())`.mapWith(
            moment,
          ),
        })
        .from(table)
        .where(
          and(
            eq(table.businessId, ctx.businessId),
            eq(table.mode, ctx.mode),
            isNotNull(moment),
            where,
          ),
        );
      if (!row) throw new Error("a count without an answer");
      return { kind, ...row };
    }),
  );
}

/** How much was tried for the last time; test events do not count. */
export async function givenUp(ctx: Ctx): Promise<WorkState["given_up"]> {
  const [webhooks, letters] = await Promise.all([
    db.$count(
      webhookDeliveries,
      owned(
        ctx,
        webhookDeliveries,
        eq(webhookDeliveries.status, "failed"),
        isNull(webhookDeliveries.testEvent),
      ),
    ),
    db.$count(
      mails,
      and(
        eq(mails.businessId, ctx.businessId),
        eq(mails.mode, ctx.mode),
        eq(mails.status, "failed"),
      ),
    ),
  ]);
  return { webhook_deliveries: webhooks, mails: letters };
}
