import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { payments } from "@/db/schema/payments";
import { bookedPerPayment, unscopedPostingState } from "../ledger/rows";

/** For the operator: entries, postings that do not sum to zero, and payments that the ledger disagrees with; of one business when given. */
export async function unscopedLedgerState(
  businessId?: number,
): Promise<{ entries: number; lopsided: number; disagreeing: number }> {
  const own = businessId === undefined ? sql`true` : sql`${payments.businessId} = ${businessId}`;
  const { rows } = await db.execute<{ n: number }>(sql`
    select count(*)::float8 as n from ${payments} left join ${bookedPerPayment(businessId)}
      on booked.business_id = ${payments.businessId} and booked.payment_id = ${payments.id}
    where ${own} and ((case when ${payments.succeededAt} is null then 0 else ${payments.amount} end) <> coalesce(booked.gross, 0)
      or ${payments.refundedAmount} <> coalesce(booked.refunded, 0) or ${payments.disputedAmount} <> coalesce(booked.disputed, 0))`);
  return { ...(await unscopedPostingState(businessId)), disagreeing: rows[0]?.n ?? 0 };
}
