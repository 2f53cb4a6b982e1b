import { eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { db, type Executor } from "@/db/client";
import { owned, type Owner } from "@/db/owned";
import { paymentLinks as links } from "@/db/schema/payment-links";
import { ledgerEntries, payments } from "@/db/schema/payments";
import { subscriptions } from "@/db/schema/subscriptions";
import { tokenizations } from "@/db/schema/tokenizations";
import type { Ctx } from "../context";
import { earlierAddress } from "../events/rows";
import { ERASED_EMAIL, normalAddress } from "../payers/rules";
import { findLinkEver } from "../payment-links/payer-rows";
import { openStatuses } from "../payment-links/rules";
import type { PaymentRow } from "./rows";
import { countsAsPaid } from "./rules";

/** Who paid, with which saved card, and what the gateway kept. Each is null while it is not known. */
export type PayerFacts = {
  email: string | null;
  cardBrand: string | null;
  cardLast4: string | null;
  fee: number | null;
  feeCurrency: string | null;
  /** Of disputes, in the payment's currency where any is. */
  disputeFee: number | null;
  disputeFeeCurrency: string | null;
};

const unknown: PayerFacts = {
  email: null,
  cardBrand: null,
  cardLast4: null,
  fee: null,
  feeCurrency: null,
  disputeFee: null,
  disputeFeeCurrency: null,
};

/**
 * Whether money that does not pay its link came from another payer than the one whom the link asks now: its address was changed in between. That is
 * known as long as the event of the change is kept.
 */
export async function isFromEarlierPayer(
  ctx: Ctx,
  on: Executor,
  payment: PaymentRow,
): Promise<boolean> {
  return !countsAsPaid(payment) && hasOtherPayerNow(ctx, on, payment);
}

/** Whether the link of a payment was given to another address since the payer began to pay, as far as that is known. */
export async function hasOtherPayerNow(
  ctx: Ctx,
  on: Executor,
  { paymentLinkId, linkVersion, tokenizationId }: PaymentRow,
): Promise<boolean> {
  // That of a saved method has the method's address.
  if (!paymentLinkId || linkVersion === null || tokenizationId) return false;
  const earlier = await earlierAddress(ctx, on, paymentLinkId, linkVersion);
  const link = earlier && (await findLinkEver(ctx, paymentLinkId, on));
  return !!link && normalAddress(earlier) !== normalAddress(link.email);
}

/** Where mail reaches the payer; undefined for a payment without an address, of an erased payer, or of a link's earlier payer. */
export async function payerEmailOf(ctx: Ctx, payment: PaymentRow): Promise<string | undefined> {
  if (await isFromEarlierPayer(ctx, db, payment)) return undefined;
  const [facts] = await withPayers(ctx, [payment]);
  return facts?.email && facts.email !== ERASED_EMAIL ? facts.email : undefined;
}

/**
 * SQL: who paid a payment, where its saved method, link and subscription are joined. The owner of the card comes first: the link of a period may have
 * another address since then.
 */
export const emailOfPayer = () =>
  sql<string | null>`coalesce(${tokenizations.email}, ${links.email}, ${subscriptions.email})`;

/** Adds payer, card and fees to the payments of one page, by one statement that reads the rows of these payments only. */
export async function withPayers(
  ctx: Ctx,
  rows: readonly PaymentRow[],
): Promise<(PaymentRow & PayerFacts)[]> {
  if (rows.length === 0) return [];
  const of = (table: { businessId: PgColumn; id: PgColumn }, id: PgColumn) =>
    sql`${table.businessId} = ${payments.businessId} and ${table.id} = ${id}`;
  const disputeFees = db
    .select({
      amount: sql<number>`sum(${ledgerEntries.amount})::float8`.as("dispute_fee"),
      currency: ledgerEntries.currency,
    })
    .from(ledgerEntries)
    .where(
      owned(
        ctx,
        ledgerEntries,
        eq(ledgerEntries.paymentId, payments.id),
        eq(ledgerEntries.kind, "dispute"),
        eq(ledgerEntries.account, "fees"),
      ),
    )
    .groupBy(ledgerEntries.currency)
    .orderBy(sql`${ledgerEntries.currency} <> ${payments.currency}`)
    .limit(1)
    .as("dispute_fees");
  const found = await db
    .select({
      id: payments.id,
      email: emailOfPayer(),
      cardBrand: tokenizations.brand,
      cardLast4: tokenizations.last4,
      fee: ledgerEntries.amount,
      feeCurrency: ledgerEntries.currency,
      disputeFee: disputeFees.amount,
      disputeFeeCurrency: disputeFees.currency,
    })
    .from(payments)
    .leftJoin(links, of(links, payments.paymentLinkId))
    .leftJoin(tokenizations, of(tokenizations, payments.tokenizationId))
    .leftJoin(subscriptions, of(subscriptions, payments.subscriptionId))
    .leftJoin(
      ledgerEntries,
      sql`${ledgerEntries.businessId} = ${payments.businessId} and ${ledgerEntries.postingId} = 'fee:' || ${payments.id} and ${ledgerEntries.account} = 'fees'`,
    )
    .leftJoinLateral(disputeFees, sql`true`)
    .where(
      owned(
        ctx,
        payments,
        inArray(
          payments.id,
          rows.map(({ id }) => id),
        ),
      ),
    );
  const byId = new Map(found.map(({ id, ...facts }) => [id, facts]));
  return rows.map((row) => ({ ...row, ...(byId.get(row.id) ?? unknown) }));
}

/** The addresses of those who paid these payments, as `withPayers` names them. */
export async function addressesPaying(ctx: Ctx, ids: readonly string[]): Promise<string[]> {
  const of = (table: { businessId: PgColumn; id: PgColumn }, id: PgColumn) =>
    sql`${table.businessId} = ${payments.businessId} and ${table.id} = ${id}`;
  const rows = await db
    .select({
      email: emailOfPayer(),
    })
    .from(payments)
    .leftJoin(links, of(links, payments.paymentLinkId))
    .leftJoin(tokenizations, of(tokenizations, payments.tokenizationId))
    .leftJoin(subscriptions, of(subscriptions, payments.subscriptionId))
    .where(owned(ctx, payments, inArray(payments.id, [...ids])));
  return rows.flatMap(({ email }) => email ?? []);
}

/** Whether money may still come for a subscription: a charge or a payer's payment is under way. A page that is merely open is none. */
export async function hasPaymentUnderWay(
  ctx: Ctx,
  on: Executor,
  subscriptionId: string,
): Promise<boolean> {
  const [row] = await on
    .select({ id: payments.id })
    .from(payments)
    .where(
      owned(
        ctx,
        payments,
        eq(payments.subscriptionId, subscriptionId),
        inArray(payments.status, ["submitting", "pending", "unknown"]),
      ),
    )
    .limit(1);
  return row !== undefined;
}

/** The payments of a payer, in any case of the address: by the payment's saved method, else its link, else its subscription. */
export const paidBy =
  (owner: Owner) =>
  (email: string): SQL =>
    inArray(payments.id, sql`(${idsPaidBy(owner, email)})`);

/** Selects the ids of a payer's payments. */
export function idsPaidBy(owner: Owner, email: string): SQL {
  const of = (table: typeof links | typeof tokenizations | typeof subscriptions, id: SQL) =>
    sql`select ${payments.id} from ${table} join ${payments} on ${payments.businessId} = ${table.businessId} and ${id} = ${table.id}
        where ${owned(owner, table)} and ${owned(owner, payments)} and lower(${table.email}) = lower(${email})`;
  const ofLink = sql`${of(links, sql`${payments.paymentLinkId}`)} and ${payments.tokenizationId} is null`;
  const ofToken = of(tokenizations, sql`${payments.tokenizationId}`);
  const ofSubscription = sql`${of(subscriptions, sql`${payments.subscriptionId}`)} and ${payments.paymentLinkId} is null and ${payments.tokenizationId} is null`;
  // Each part by the partial index of its own: the live rows of a table, and the others.
  return sql`${ofLink} and ${links.deletedAt} is null union all ${ofLink} and ${links.deletedAt} is not null
    union all ${ofToken} and ${tokenizations.status} = 'active' union all ${ofToken} and ${tokenizations.status} <> 'active'
    union all ${ofSubscription}`;
}

/** Sums of a payer's payments that succeeded, and of the links that wait to be paid. */
export type PayerSums = {
  currency: string;
  payments: number;
  paid: number;
  refunded: number;
  disputed: number;
  openLinks: number;
  open: number;
};

/** What a payer has paid and owes, for each currency. */
export async function sumsOf(owner: Owner, email: string): Promise<PayerSums[]> {
  const { rows } = await db.execute<PayerSums>(sql`
    select currency, sum(payments)::float8 as payments, sum(paid)::float8 as paid, sum(refunded)::float8 as refunded,
      sum(disputed)::float8 as disputed, sum(links)::float8 as "openLinks", sum(open)::float8 as open
    from (
      select currency, 1 as payments, amount as paid, refunded_amount as refunded, disputed_amount as disputed, 0 as links, 0 as open
      from ${payments} where ${owned(owner, payments, paidBy(owner)(email), inArray(payments.status, ["succeeded", "partially_refunded", "refunded", "disputed"]))}
      union all
      select currency, 0, 0, 0, 0, 1, amount from ${links}
      where ${owned(owner, links, isNull(links.deletedAt), sql`lower(${links.email}) = lower(${email})`, inArray(links.status, [...openStatuses]))}
    ) sums group by currency order by currency`);
  return rows;
}
