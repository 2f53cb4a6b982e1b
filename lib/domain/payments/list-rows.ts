import { and, desc, eq, ilike, notInArray, or, sql } from "drizzle-orm";
import { db } from "@/db/client";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { payments } from "@/db/schema/payments";
import type { PaymentQuery } from "@/lib/contract/payments";
import type { Ctx } from "../context";
import type { PaymentRow } from "./rows";

function conditions(ctx: Ctx, query: PaymentQuery) {
  const { q } = query;
  const like = q && `%${q.replace(/[\\%_]/g, "\\$&")}%`;
  return owned(
    ctx,
    payments,
    query.status ? eq(payments.status, query.status) : undefined,
    query.reference === undefined ? undefined : eq(payments.reference, query.reference),
    query.currency === undefined ? undefined : eq(payments.currency, query.currency),
    query.amount_min === undefined ? undefined : sql`${payments.amount} >= ${query.amount_min}`,
    query.amount_max === undefined ? undefined : sql`${payments.amount} <= ${query.amount_max}`,
    query.created_from === undefined
      ? undefined
      : sql`${payments.createdAt} >= ${query.created_from}::timestamptz`,
    query.created_to === undefined
      ? undefined
      : sql`${payments.createdAt} <= ${query.created_to}::timestamptz`,
    query.payment_link_id === undefined
      ? undefined
      : eq(payments.paymentLinkId, query.payment_link_id),
    query.subscription_id === undefined
      ? undefined
      : eq(payments.subscriptionId, query.subscription_id),
    query.tokenization_id === undefined
      ? undefined
      : eq(payments.tokenizationId, query.tokenization_id),
    q && like
      ? or(
          ilike(payments.title, like),
          ilike(payments.reference, like),
          eq(payments.id, q.toLowerCase()),
          eq(payments.paymentLinkId, q.toLowerCase()),
        )
      : undefined,
  );
}

export async function listPayments(
  ctx: Ctx,
  query: PaymentQuery,
  walk: Walk,
): Promise<PaymentRow[]> {
  const { where, orderBy, limit, offset } = keyset(payments, walk);
  return db
    .select()
    .from(payments)
    .where(and(conditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
}

/** Charges of a saved method with this amount within the last minutes, but for those that took nothing; the newest first. */
export async function chargesWithin(
  ctx: Ctx,
  tokenizationId: string,
  { amount, currency }: { amount: number; currency: string },
  minutes: number,
): Promise<PaymentRow[]> {
  return db
    .select()
    .from(payments)
    .where(
      owned(
        ctx,
        payments,
        eq(payments.tokenizationId, tokenizationId),
        eq(payments.amount, amount),
        eq(payments.currency, currency),
        notInArray(payments.status, ["failed", "cancelled"]),
        sql`${payments.startedAt} > now() - make_interval(mins => ${minutes})`,
      ),
    )
    .orderBy(desc(payments.startedAt), desc(payments.id))
    .limit(10);
}

export async function countPayments(ctx: Ctx, query: PaymentQuery): Promise<number> {
  return db.$count(payments, conditions(ctx, query));
}
