import { and, asc, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { eventHorizon } from "@/db/event-horizon";
import { owned } from "@/db/owned";
import { eventCursors, events } from "@/db/schema/events";
import { paymentLinks as links } from "@/db/schema/payment-links";
import { payments } from "@/db/schema/payments";
import { subscriptionPeriods as periods } from "@/db/schema/subscription-periods";
import type { Ctx } from "../../context";
import type { EventRow } from "../../events/rows";
import type { PaymentRow } from "../../payments/rows";
import { ofPeriod } from "./rows";

const reader = "subscriptions";
const followed = sql`${events.type} in ('payment.succeeded', 'payment.failed', 'payment_link.paid', 'tokenization.activated')`;

/** Outcomes and new methods of this business that nobody has followed yet, whoever is at it just now. */
export async function unfollowedEvents(ctx: Ctx, tx: Tx): Promise<EventRow[]> {
  const cursor = sql`(select ${eventCursors.xid}, ${eventCursors.seq} from ${eventCursors} where ${eventCursors.reader} = ${reader})`;
  return tx
    .select()
    .from(events)
    .where(
      owned(ctx, events, followed, sql`coalesce((${events.xid}, ${events.seq}) > ${cursor}, true)`),
    )
    .orderBy(asc(events.xid), asc(events.seq));
}

/** Outcomes and new methods, from where the last run stopped; undefined when another worker is at it. */
export async function unscopedFollowedEvents(
  tx: Tx,
  limit: number,
): Promise<EventRow[] | undefined> {
  await tx.insert(eventCursors).values({ reader, xid: "0", seq: 0 }).onConflictDoNothing();
  const [cursor] = await tx
    .select()
    .from(eventCursors)
    .where(eq(eventCursors.reader, reader))
    .for("update", { skipLocked: true });
  if (!cursor) return undefined;
  return tx
    .select()
    .from(events)
    .where(
      and(
        followed,
        sql`${events.xid} < ${eventHorizon}`,
        sql`(${events.xid}, ${events.seq}) > (${cursor.xid}::xid8, ${cursor.seq}::bigint)`,
      ),
    )
    .orderBy(asc(events.xid), asc(events.seq))
    .limit(limit);
}

/** Notes how far the events were followed, in the same transaction. */
export async function unscopedMoveFollower(
  tx: Tx,
  last: Pick<EventRow, "xid" | "seq">,
): Promise<void> {
  await tx
    .update(eventCursors)
    .set({ xid: last.xid, seq: last.seq })
    .where(eq(eventCursors.reader, reader));
}

/** A payer who was at the gateway when the subscription ended has paid the period's link all the same: the period is paid, not void. */
export async function unscopedSettleVoid(tx: Tx, paymentIds: readonly string[]): Promise<void> {
  if (paymentIds.length === 0) return;
  await tx
    .update(periods)
    .set({ state: "paid", paymentId: sql`${payments.id}` as never })
    .from(payments)
    .innerJoin(
      links,
      and(eq(links.businessId, payments.businessId), eq(links.id, payments.paymentLinkId)),
    )
    .where(
      and(
        inArray(payments.id, [...paymentIds]),
        ofPeriod,
        eq(periods.state, "void"),
        eq(links.status, "Paid"),
        sql`${payments.succeededAt} is not null and ${payments.flags} = '{}'`,
      ),
    );
}

/** Flags money that came for a period that was over without it; answers the payments it flagged. */
export async function unscopedFlagUnneeded(
  tx: Tx,
  paymentIds: readonly string[],
): Promise<PaymentRow[]> {
  if (paymentIds.length === 0) return [];
  return tx
    .update(payments)
    .set({
      updatedAt: sql`case when ${payments.testClockId} is null then now() else ${payments.updatedAt} end`,
      flags: sql`array_append(${payments.flags}, case ${periods.state} when 'void' then 'late' else 'duplicate' end)`,
    })
    .from(periods)
    .where(
      and(
        inArray(payments.id, [...paymentIds]),
        ofPeriod,
        sql`${payments.succeededAt} is not null and ${payments.flags} = '{}'`,
        sql`(${periods.state} = 'void' or (${periods.state} = 'paid' and ${periods.paymentId} is distinct from ${payments.id}))`,
      ),
    )
    .returning(getTableColumns(payments));
}
