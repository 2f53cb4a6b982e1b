import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { db } from "@/db/client";
import { isoSql } from "@/db/columns";
import { beginOfDay } from "@/db/days";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { paymentLinks as links } from "@/db/schema/payment-links";
import { ledgerEntries as entries, payments } from "@/db/schema/payments";
import { subscriptions } from "@/db/schema/subscriptions";
import { tokenizations } from "@/db/schema/tokenizations";
import { FORMER_MANUAL_ACCOUNT } from "@/lib/contract/values";
import type { Ctx } from "../context";
import { emailOfPayer } from "../payments/payer-rows";

/** Moments, ISO 8601 UTC: the first and the last of a month, both inclusive, and the last one before it. */
export type Month = { from: string; to: string; before: string };

/** A month, `YYYY-MM`, in a zone. */
export async function monthIn(month: string, timeZone: string): Promise<Month> {
  const first = sql`${`${month}-01`}::timestamp`;
  const from = beginOfDay(first, timeZone);
  const next = beginOfDay(sql`(${first} + interval '1 month')`, timeZone);
  const { rows } = await db.execute<Month>(sql`
    select ${isoSql(from)} as from, ${isoSql(sql`(${next} - interval '1 microsecond')`)} as to,
      ${isoSql(sql`(${from} - interval '1 microsecond')`)} as before`);
  const [found] = rows;
  if (!found) throw new Error("a month without a beginning");
  return found;
}

const money = ["gateway", "manual", FORMER_MANUAL_ACCOUNT] as const;

const within = (month: Month, createdAt: SQL) =>
  sql`${createdAt} >= ${month.from} and ${createdAt} <= ${month.to}`;

/** A posting of the payment's other kind, `gross` or `fee`, in the same month and currency. */
const beside = (month: Month, kind: "gross" | "fee") => sql`
  other.business_id = ${entries.businessId} and other.posting_id = ${`${kind}:`} || ${entries.paymentId}
    and other.currency = ${entries.currency} and ${within(month, sql`other.created_at`)}`;

/** The entry of each posting that moved money. A fee belongs to the line of its payment, unless that was booked in another month. */
const heads = (ctx: Ctx, month: Month) =>
  owned(
    ctx,
    entries,
    inArray(entries.account, [...money]),
    within(month, sql`${entries.createdAt}`),
    sql`(${entries.kind} <> 'fee' or not exists (select 1 from ${entries} other where ${beside(month, "gross")}))`,
  );

/** What gateways took in a month without stating a fee by now, by currency. */
export async function sumsWithoutFee(ctx: Ctx, month: Month): Promise<Map<string, number>> {
  const rows = await db
    .select({ currency: entries.currency, amount: sql<number>`sum(${entries.amount})::float8` })
    .from(entries)
    .where(
      owned(
        ctx,
        entries,
        eq(entries.kind, "gross"),
        eq(entries.account, "gateway"),
        within(month, sql`${entries.createdAt}`),
        sql`not exists (select 1 from ${entries} other where other.business_id = ${entries.businessId} and other.posting_id = 'fee:' || ${entries.paymentId})`,
      ),
    )
    .groupBy(entries.currency);
  return new Map(rows.map(({ currency, amount }) => [currency, amount]));
}

export type LineRow = {
  id: string;
  createdAt: string;
  kind: (typeof entries.$inferSelect)["kind"];
  currency: string;
  paymentId: string;
  refundId: string | null;
  email: string | null;
  title: string;
  reference: string | null;
  method: (typeof payments.$inferSelect)["method"];
  /** Of its payment. */
  succeededAt: string | null;
  gross: number;
  refunds: number;
  disputes: number;
  fees: number;
};

/** The lines of a month. */
export async function listLines(ctx: Ctx, month: Month, walk: Walk): Promise<LineRow[]> {
  const { where, orderBy, limit, offset } = keyset(
    { id: entries.id, createdAt: entries.createdAt },
    walk,
  );
  const of = (table: typeof links | typeof tokenizations | typeof subscriptions, id: SQL) =>
    sql`${table.businessId} = ${payments.businessId} and ${table.id} = ${id}`;
  const side = (account: "sales" | "refunds" | "disputes" | "fees", sign = 1) =>
    sql<number>`(
      select coalesce(${sign}::integer * sum(other.amount), 0)::float8 from ${entries} other
      where other.business_id = ${entries.businessId} and other.account = ${account} and (
        other.posting_id = ${entries.postingId} or (${entries.kind} = 'gross' and ${beside(month, "fee")})))`;
  return db
    .select({
      id: entries.id,
      createdAt: entries.createdAt,
      kind: entries.kind,
      currency: entries.currency,
      paymentId: entries.paymentId,
      refundId: entries.refundId,
      email: emailOfPayer(),
      title: payments.title,
      reference: payments.reference,
      method: payments.method,
      succeededAt: payments.succeededAt,
      gross: side("sales", -1),
      refunds: side("refunds"),
      disputes: side("disputes"),
      fees: side("fees"),
    })
    .from(entries)
    .innerJoin(
      payments,
      sql`${payments.businessId} = ${entries.businessId} and ${payments.id} = ${entries.paymentId}`,
    )
    .leftJoin(links, of(links, sql`${payments.paymentLinkId}`))
    .leftJoin(tokenizations, of(tokenizations, sql`${payments.tokenizationId}`))
    .leftJoin(subscriptions, of(subscriptions, sql`${payments.subscriptionId}`))
    .where(and(heads(ctx, month), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
}

export async function countLines(ctx: Ctx, month: Month): Promise<number> {
  return db.$count(entries, heads(ctx, month));
}
