import { asc, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { beginOfDay } from "@/db/days";
import { subscriptionPeriods as periods } from "@/db/schema/subscription-periods";
import { subscriptions } from "@/db/schema/subscriptions";
import type { Ctx } from "../context";

/** How many a statement moves: one for a large business could take longer than a statement may. */
const MOVED_AT_ONCE = 2_000;

/** Moves the charges that a business has planned to the midnights of its new time zone, in both modes. What is due already stays due. */
export async function replanPeriods({ businessId }: Ctx, tx: Tx, timeZone: string): Promise<void> {
  const planned = sql`${periods.businessId} = ${businessId} and ${periods.state} = 'due' and ${periods.testClockId} is null
    and ${periods.nextAttemptAt} is not null and ${periods.dueAt} > now()`;
  const begins = beginOfDay(sql`${periods.periodStart}::timestamp`, timeZone);
  const found = await tx
    .select({ id: periods.subscriptionId })
    .from(periods)
    .where(planned)
    .orderBy(asc(periods.subscriptionId));
  for (let from = 0; from < found.length; from += MOVED_AT_ONCE) {
    const ids = sql`${sql.param(found.slice(from, from + MOVED_AT_ONCE).map(({ id }) => id))}::text[]`;
    // Locked by id and before their periods, as renewals lock them.
    await tx
      .select({ id: subscriptions.id })
      .from(subscriptions)
      .where(sql`${subscriptions.businessId} = ${businessId} and ${subscriptions.id} = any(${ids})`)
      .orderBy(asc(subscriptions.id))
      .for("no key update");
    // The jitter stays.
    await tx.execute(sql`
      with moved as (
        update ${periods} set due_at = ${begins}, next_attempt_at = ${begins} + (${periods.nextAttemptAt} - ${periods.dueAt}), updated_at = now()
        where ${planned} and ${periods.subscriptionId} = any(${ids}) and ${periods.dueAt} <> ${begins}
        returning subscription_id, due_at
      )
      update ${subscriptions} set next_charge_at = moved.due_at, updated_at = now() from moved
      where ${subscriptions.businessId} = ${businessId} and ${subscriptions.id} = moved.subscription_id`);
  }
}
