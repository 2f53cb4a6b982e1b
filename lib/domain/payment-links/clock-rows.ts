import { asc, eq, inArray, isNull, sql } from "drizzle-orm";
import { db, type Executor } from "@/db/client";
import { owned } from "@/db/owned";
import { paymentLinks as links } from "@/db/schema/payment-links";
import type { Ctx } from "../context";
import { live } from "./rows";
import { openStatuses } from "./rules";

// In the words of the index of clocks.
const moment = sql<string>`(case when ${links.status} = 'Active' then least(${links.nextReminderAt}, ${links.expiresAt}) end)`;

/** A link that follows a test clock, and when its next reminder is sent or it expires. */
export type ClockLink = { id: string; at: string; expires: boolean };

/** The link that comes due first by a test clock, until `to`. A link waits while its payer is at the gateway. */
export async function nextLinkOfClock(
  ctx: Ctx,
  clockId: string,
  to: string,
): Promise<ClockLink | undefined> {
  const [row] = await db
    .select({ id: links.id, nextReminderAt: links.nextReminderAt, expiresAt: links.expiresAt })
    .from(links)
    .where(
      owned(
        ctx,
        links,
        eq(links.testClockId, clockId),
        live,
        sql`${links.openPaymentId} is null and ${moment} <= ${to}::timestamptz`,
      ),
    )
    .orderBy(moment, asc(links.id))
    .limit(1);
  if (!row) return undefined;
  const { id, nextReminderAt, expiresAt } = row;
  const expires = expiresAt !== null && (nextReminderAt === null || expiresAt <= nextReminderAt);
  return { id, at: (expires ? expiresAt : nextReminderAt) ?? to, expires };
}

/** The open links that follow a clock, the oldest first; those of subscription periods end with their subscription. */
export async function openLinksOfClock(ctx: Ctx, clockId: string, on: Executor): Promise<string[]> {
  const rows = await on
    .select({ id: links.id })
    .from(links)
    .where(
      owned(
        ctx,
        links,
        eq(links.testClockId, clockId),
        live,
        inArray(links.status, [...openStatuses]),
        isNull(links.subscriptionId),
      ),
    )
    .orderBy(asc(links.createdAt), asc(links.id));
  return rows.map(({ id }) => id);
}
