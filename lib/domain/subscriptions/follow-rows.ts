import { and, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { paymentLinks as links } from "@/db/schema/payment-links";
import { payments } from "@/db/schema/payments";
import { subscriptionPeriods as periods } from "@/db/schema/subscription-periods";
import { isCounted } from "../payments/kind-rows";
import type { PaymentRow } from "../payments/rows";
import { ofPeriod } from "./period-rows";

/** A payer who was at the gateway when the subscription ended has paid the period's link all the same: the period is paid, not void. */
export async function settleVoid(
  tx: Tx,
  businessId: number,
  paymentIds: readonly string[],
): Promise<void> {
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
        eq(payments.businessId, businessId),
        inArray(payments.id, [...paymentIds]),
        ofPeriod,
        eq(periods.state, "void"),
        eq(links.status, "Paid"),
        isCounted,
      ),
    );
}

const unneeded = sql`case when ${periods.state} = 'void' then 'late' else 'duplicate' end`;

/** Flags money, once, that came for a period that was over without it. Returns the payments it flagged. */
export async function flagPayments(
  tx: Tx,
  businessId: number,
  paymentIds: readonly string[],
): Promise<PaymentRow[]> {
  if (paymentIds.length === 0) return [];
  return tx
    .update(payments)
    .set({
      updatedAt: sql`case when ${payments.testClockId} is null then (select now()) else ${payments.updatedAt} end`,
      flags: sql`array_append(${payments.flags}, ${unneeded})`,
    })
    .from(periods)
    .where(
      and(
        eq(payments.businessId, businessId),
        inArray(payments.id, [...paymentIds]),
        ofPeriod,
        isCounted,
        sql`(${periods.state} = 'void' or (${periods.state} = 'paid' and ${periods.paymentId} is distinct from ${payments.id}))`,
        sql`${unneeded} <> all(${payments.flags})`,
      ),
    )
    .returning(getTableColumns(payments));
}
