import {
  and,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  not,
  notInArray,
  sql,
} from "drizzle-orm";
import { db } from "@/db/client";
import {
  amountFilters,
  createdFilters,
  filtered,
  type Filters,
  search,
  is,
  isUnfiltered,
} from "@/db/filters";
import { countByStatus } from "@/db/list-counts";
import { owned } from "@/db/owned";
import { fieldsOf, keyset, type ReadPart, readPage, sortedApart, type Walk } from "@/db/page";
import { payments } from "@/db/schema/payments";
import { indexedText, isIndexed, walkText } from "@/db/text-search";
import { usedValues } from "@/db/used-values";
import type { PaymentQuery } from "@/lib/contract/payments";
import type { Ctx } from "../context";
import { isCollected, needsPerson } from "./kind-rows";
import { idsPaidBy, paidBy } from "./payer-rows";
import type { PaymentRow } from "./rows";

const searched = {
  texts: [payments.title, payments.reference],
  ids: [payments.id, payments.paymentLinkId],
};
const searchTexts = search(searched);
const indexedIf = (text: string | undefined) =>
  isIndexed(text) ? indexedText(searched, text) : undefined;
/** A whole e-mail address, for which a search finds the payer too. */
const isAddress = (text: string | undefined): text is string =>
  text !== undefined && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);

/** Payments with an address in their texts, and those of the payer: each by the indexes of its own. */
const foundOrPaid = (ctx: Ctx, address: string) => {
  const found = owned(ctx, payments, searchTexts(address), indexedIf(address));
  return inArray(
    payments.id,
    sql`(select ${payments.id} from ${payments} where ${found} union all ${idsPaidBy(ctx, address)})`,
  );
};

const filtersOf = (ctx: Ctx): Filters<PaymentQuery> => ({
  email: paidBy(ctx),
  status: is(payments.status),
  reference: is(payments.reference),
  currency: is(payments.currency),
  ...amountFilters(payments.amount),
  ...createdFilters(payments.createdAt),
  succeeded_from: (from) => sql`${payments.succeededAt} >= ${from}::timestamptz`,
  succeeded_to: (to) => sql`${payments.succeededAt} <= ${to}::timestamptz`,
  collected: (collected) => (collected ? isCollected : not(isCollected)),
  attention: needsPerson,
  payment_link_id: is(payments.paymentLinkId),
  subscription_id: is(payments.subscriptionId),
  tokenization_id: is(payments.tokenizationId),
  q: (text) => (isAddress(text) ? foundOrPaid(ctx, text) : searchTexts(text)),
});

/** Filters that leave few rows, which are sorted by amount or success faster than a walk in that order finds them. */
const selective = ["reference", "payment_link_id", "subscription_id", "tokenization_id"] as const;

/** In this order only payments that brought money have a place. */
const bySuccess = ({ sort }: PaymentQuery) => sort?.endsWith("succeeded_at") ?? false;

/** What every payment of a list has, whatever its filters. */
const scopeOf = (ctx: Ctx, query: PaymentQuery) =>
  owned(ctx, payments, bySuccess(query) ? isNotNull(payments.succeededAt) : undefined);

const conditions = (ctx: Ctx, query: PaymentQuery) =>
  and(scopeOf(ctx, query), ...filtered(filtersOf(ctx), query));

export async function listPayments(
  ctx: Ctx,
  query: PaymentQuery,
  walk: Walk,
): Promise<PaymentRow[]> {
  const byPayer = query.email !== undefined || isAddress(query.q);
  if (isIndexed(query.q) && !byPayer)
    return walkText({
      ...searched,
      table: payments,
      text: query.q,
      scope: scopeOf(ctx, query),
      matches: and(...filtered(filtersOf(ctx), query)),
      walk,
      read,
    });
  const where = conditions(ctx, query);
  const few =
    !walk.sort.endsWith("created_at") && selective.some((name) => query[name] !== undefined);
  if (few || byPayer) {
    const { where: position, ...way } = keyset(payments, walk);
    return read(sortedApart(payments, where), { where: position, ...way });
  }
  return readPage(payments, where, walk, read);
}

const columns = getTableColumns(payments);
const fields = fieldsOf(columns);
const read: ReadPart<PaymentRow, typeof payments> = (from, { where, orderBy, limit, offset }) =>
  db
    // Drizzle reads plain columns faster.
    .select(from === payments ? columns : fields)
    .from(from as typeof payments)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);

export const paymentCurrencies = (ctx: Ctx) =>
  usedValues(payments, payments.currency, owned(ctx, payments));

/** Payments of which so much is left after the gateway's fee; the newest first. */
export async function paymentsByNet(
  ctx: Ctx,
  { net, currency }: { net: number; currency: string },
  limit: number,
): Promise<PaymentRow[]> {
  return db
    .select()
    .from(payments)
    .where(owned(ctx, payments, eq(payments.net, net), eq(payments.currency, currency)))
    .orderBy(desc(payments.createdAt), desc(payments.id))
    .limit(limit);
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

/** All payments that the filters match, by the index for a text. */
const matching = (ctx: Ctx, query: PaymentQuery) =>
  and(conditions(ctx, query), isAddress(query.q) ? undefined : indexedIf(query.q));

/** How many payments the filters match. The status alone is counted as payments are written, anything else row by row. */
export async function countPayments(ctx: Ctx, query: PaymentQuery): Promise<number> {
  const { status, ...others } = query;
  return isUnfiltered(others) && !bySuccess(query)
    ? countByStatus(ctx, "payments", status && [status])
    : db.$count(payments, matching(ctx, query));
}

/** What the payments come to that the filters match, row by row. */
export const sumPayments = (ctx: Ctx, query: PaymentQuery) =>
  db
    .select({
      currency: payments.currency,
      count: sql<number>`count(*)::int`,
      amount: sql<number>`sum(${payments.amount})::float8`,
      refunded: sql<number>`sum(${payments.refundedAmount})::float8`,
      collected: sql<number>`coalesce(sum(${payments.amount} - ${payments.refundedAmount}) filter (where ${isCollected}), 0)::float8`,
    })
    .from(payments)
    .where(matching(ctx, query))
    .groupBy(payments.currency)
    .orderBy(payments.currency);
