import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { nowOf } from "@/db/columns";
import { owned } from "@/db/owned";
import { paymentLinks as links } from "@/db/schema/payment-links";
import { payments } from "@/db/schema/payments";
import { subscriptionPeriods as periods } from "@/db/schema/subscription-periods";
import { subscriptions } from "@/db/schema/subscriptions";
import { tokenizations } from "@/db/schema/tokenizations";
import type { Ctx } from "../context";
import { ofPeriod, type PeriodRow } from "./period-rows";

/** Makes the open period of a locked subscription due, for its saved method to be tried at once. */
export async function enqueueOpenPeriod(ctx: Ctx, tx: Tx, subscriptionId: string): Promise<void> {
  await tx
    .update(periods)
    .set({ ...enqueued, retryAt: nowOf(ctx) })
    .where(
      owned(ctx, periods, eq(periods.subscriptionId, subscriptionId), eq(periods.state, "open")),
    );
}

const activation = (id: unknown) =>
  sql`(select ${tokenizations.activatedAt} from ${tokenizations} where ${tokenizations.businessId} = ${subscriptions.businessId} and ${tokenizations.id} = ${id})`;

/**
 * The live subscriptions that had this address when this saved method was activated, and remember none as new. Of all, of those that follow a
 * clock, or the one of this `id`.
 */
export async function subscriptionsOf(
  ctx: Ctx,
  tx: Tx,
  email: string,
  tokenizationId: string,
  { clockId, id }: { clockId?: string | undefined; id?: string },
): Promise<string[]> {
  const rows = await tx
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(
      owned(
        ctx,
        subscriptions,
        sql`lower(${subscriptions.email}) = lower(${email})`,
        clockId === undefined ? undefined : eq(subscriptions.testClockId, clockId),
        id === undefined ? undefined : eq(subscriptions.id, id),
        sql`${subscriptions.status} <> 'cancel' and ${subscriptions.deletedAt} is null and ${subscriptions.tokenizationId} is distinct from ${tokenizationId}`,
        sql`coalesce(${activation(subscriptions.tokenizationId)} < ${activation(tokenizationId)}, true)`,
        // The event of an activation may be read late, and more than once.
        sql`coalesce(${subscriptions.payerSince} < ${activation(tokenizationId)}, true)`,
      ),
    )
    .orderBy(asc(subscriptions.id));
  return rows.map(({ id }) => id);
}

// Due at once. A running claim goes on and finds the outcome; a pause after a failure ends. Under a test clock only the clock's lease
// counts. The moment when the period was planned says that it has news: `periodWithNews`.
const enqueued = {
  nextAttemptAt:
    sql`case when ${periods.testClockId} is null then (select now()) else ${periods.createdAt} end` as never,
  leasedUntil:
    sql`case when ${periods.leasedBy} is not null then ${periods.leasedUntil} end` as never,
};

const following = (clockId: string | undefined) =>
  clockId === undefined ? undefined : eq(periods.testClockId, clockId);

/**
 * Makes the periods due that wait for these payments' outcome. A failure counts only for the period that made the attempt, but one that staff resolved
 * also ends a planned charge.
 * `clockId` keeps it to those that follow that clock.
 */
export async function enqueueWaiting(
  tx: Tx,
  businessId: number,
  paymentIds: readonly string[],
  clockId?: string,
): Promise<PeriodRow[]> {
  if (paymentIds.length === 0) return [];
  return tx
    .update(periods)
    .set(enqueued)
    .from(payments)
    .where(
      and(
        eq(payments.businessId, businessId),
        inArray(payments.id, [...paymentIds]),
        ofPeriod,
        following(clockId),
        sql`((${payments.succeededAt} is not null and ${periods.state} in ('charging', 'open')) or (${periods.state} = 'charging' and ${periods.paymentId} = ${payments.id})
          or (${periods.state} = 'open' and ${periods.retryAt} is not null and 'resolved' = any(${payments.flags})))`,
      ),
    )
    .returning();
}

/** Makes periods due after their link was paid; `clockId` as above. */
export async function enqueuePaid(
  tx: Tx,
  businessId: number,
  linkIds: readonly string[],
  clockId?: string,
): Promise<PeriodRow[]> {
  if (linkIds.length === 0) return [];
  return tx
    .update(periods)
    .set(enqueued)
    .from(links)
    .where(
      and(
        eq(links.businessId, businessId),
        inArray(links.id, [...linkIds]),
        eq(periods.businessId, links.businessId),
        eq(periods.subscriptionId, links.subscriptionId),
        eq(periods.paymentLinkId, links.id),
        // Written out, as a plan for any states could not use the index of open periods.
        sql`${periods.state} in ('charging', 'open')`,
        following(clockId),
      ),
    )
    .returning();
}
