import { and, desc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { db } from "@/db/client";
import { owned } from "@/db/owned";
import { mails } from "@/db/schema/mails";
import { paymentLinks as links } from "@/db/schema/payment-links";
import { payments, refunds } from "@/db/schema/payments";
import { subscriptionPeriods as periods } from "@/db/schema/subscription-periods";
import { tokenizations } from "@/db/schema/tokenizations";
import { webhookDeliveries } from "@/db/schema/webhooks";
import { workers } from "@/db/schema/workers";
import { workKinds } from "@/lib/contract/values";
import type { WorkKind, WorkState } from "@/lib/contract/work";
import type { Ctx } from "@/lib/domain/context";

/** Shows that a worker is at work and how long ago it finished a piece of each kind of work, and sweeps those that have not been for an hour. Answers 0: there is never more to do at once. */
export async function unscopedBeat(
  id: string,
  pid: number,
  secondsSince: Record<string, number> = {},
): Promise<number> {
  const progress = sql`(select coalesce(jsonb_object_agg(key, extract(epoch from now()) - value::float8), '{}') from jsonb_each_text(${JSON.stringify(secondsSince)}::jsonb))`;
  await db
    .insert(workers)
    .values({ id, pid, progress: progress as never })
    .onConflictDoUpdate({ target: workers.id, set: { seenAt: sql`now()`, progress } });
  await db.delete(workers).where(sql`${workers.seenAt} < now() - interval '1 hour'`);
  return 0;
}

/** Seconds since the worker with this process number was seen; null when it never was. */
export async function unscopedSecondsSinceSeen(pid: number): Promise<number | null> {
  const [row] = await db
    .select({
      seconds: sql<number | null>`extract(epoch from now() - max(${workers.seenAt}))::float8`,
    })
    .from(workers)
    .where(eq(workers.pid, pid));
  return row?.seconds ?? null;
}

/** A worker that stops in order is not missed. */
export async function unscopedLeave(id: string): Promise<void> {
  await db.delete(workers).where(eq(workers.id, id));
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
