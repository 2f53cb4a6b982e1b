import { eq, sql } from "drizzle-orm";
import { db } from "@/db/client";
import { mails } from "@/db/schema/mails";
import { gatewayEvents, payments, refunds } from "@/db/schema/payments";
import { subscriptionPeriods as periods } from "@/db/schema/subscription-periods";
import { tokenizations } from "@/db/schema/tokenizations";
import { workers } from "@/db/schema/workers";

/** Shows that a worker is at work, and sweeps those that have not been for an hour. Answers 0: there is never more to do at once. */
export async function unscopedBeat(id: string, pid: number): Promise<number> {
  await db.insert(workers).values({ id, pid }).onConflictDoUpdate({ target: workers.id, set: { seenAt: sql`now()` } });
  await db.delete(workers).where(sql`${workers.seenAt} < now() - interval '1 hour'`);
  return 0;
}

/** A worker that stops in order is not missed. */
export async function unscopedLeave(id: string): Promise<void> {
  await db.delete(workers).where(eq(workers.id, id));
}

const lag = (moment: ReturnType<typeof sql>, from: ReturnType<typeof sql>, where: ReturnType<typeof sql>) =>
  sql<number>`coalesce((select extract(epoch from now() - min(${moment})) from ${from} where ${where}), 0)::float8`;

/** Seconds since a worker was last seen (null: never) and by which the oldest due work is late. */
export async function unscopedWorkState(): Promise<{ seenSecondsAgo: number | null; lateSeconds: number }> {
  const due = (column: ReturnType<typeof sql>) => sql`${column} <= now()`;
  const result = await db.execute<{ seen: number | null; late: number }>(sql`
    select (select extract(epoch from now() - max(${workers.seenAt}))::float8 from ${workers}) as seen,
      greatest(
        ${lag(sql`${payments.nextCheckAt}`, sql`${payments}`, sql`${due(sql`${payments.nextCheckAt}`)} and (${payments.leasedUntil} is null or ${payments.leasedUntil} <= now())`)},
        ${lag(sql`${refunds.nextCheckAt}`, sql`${refunds}`, sql`${due(sql`${refunds.nextCheckAt}`)} and (${refunds.leasedUntil} is null or ${refunds.leasedUntil} <= now())`)},
        ${lag(sql`${periods.nextAttemptAt}`, sql`${periods}`, sql`${due(sql`${periods.nextAttemptAt}`)} and ${periods.testClockId} is null and (${periods.leasedUntil} is null or ${periods.leasedUntil} <= now())`)},
        ${lag(sql`${mails.nextTryAt}`, sql`${mails}`, sql`${due(sql`${mails.nextTryAt}`)} and (${mails.leasedUntil} is null or ${mails.leasedUntil} <= now())`)},
        ${lag(sql`${gatewayEvents.nextTryAt}`, sql`${gatewayEvents}`, due(sql`${gatewayEvents.nextTryAt}`))},
        ${lag(sql`${tokenizations.nextCheckAt}`, sql`${tokenizations}`, sql`${due(sql`${tokenizations.nextCheckAt}`)} and (${tokenizations.leasedUntil} is null or ${tokenizations.leasedUntil} <= now())`)}
      ) as late`);
  const row = result.rows[0];
  return { seenSecondsAgo: row?.seen ?? null, lateSeconds: row?.late ?? 0 };
}
