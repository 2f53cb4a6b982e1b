import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { db } from "@/db/client";
import { amountFilters, createdFilters, filtered, type Filters, is } from "@/db/filters";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { ledgerEntries as entries } from "@/db/schema/payments";
import type {
  BalanceCurrency,
  BalanceQuery,
  LedgerEntry,
  LedgerQuery,
} from "@/lib/contract/ledger";
import { FORMER_MANUAL_ACCOUNT } from "@/lib/contract/values";
import type { Ctx } from "../context";

export type EntryRow = typeof entries.$inferSelect;

/** The entries on an account, those written under its former name included. */
export const on = (account: LedgerEntry["account"]) =>
  account === "manual"
    ? inArray(entries.account, [account, FORMER_MANUAL_ACCOUNT])
    : eq(entries.account, account);

const filters: Filters<LedgerQuery> = {
  currency: is(entries.currency),
  kind: is(entries.kind),
  account: on,
  payment_id: is(entries.paymentId),
  ...amountFilters(entries.amount),
  ...createdFilters(entries.createdAt),
};

const conditions = (ctx: Ctx, query: LedgerQuery) =>
  owned(ctx, entries, ...filtered(filters, query));

export async function listEntries(ctx: Ctx, query: LedgerQuery, walk: Walk): Promise<EntryRow[]> {
  const { where, orderBy, limit, offset } = keyset(
    { id: entries.id, createdAt: entries.createdAt, amount: entries.amount },
    walk,
  );
  return db
    .select()
    .from(entries)
    .where(and(conditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
}

export async function countEntries(ctx: Ctx, query: LedgerQuery): Promise<number> {
  return db.$count(entries, conditions(ctx, query));
}

export async function findEntry(ctx: Ctx, id: string): Promise<EntryRow | undefined> {
  const [row] = await db
    .select()
    .from(entries)
    .where(owned(ctx, entries, eq(entries.id, id)));
  return row;
}

/** The sums of the accounts by currency, in minor units; sales are credits, so their sign is turned. */
export async function sums(ctx: Ctx, query: BalanceQuery): Promise<BalanceCurrency[]> {
  const of = (account: LedgerEntry["account"], sign = 1) =>
    sql<number>`coalesce(${sign}::integer * sum(${entries.amount}) filter (where ${on(account)}), 0)::float8`;
  return db
    .select({
      currency: entries.currency,
      gross: of("sales", -1),
      refunds: of("refunds"),
      disputes: of("disputes"),
      fees: of("fees"),
      net: sql<number>`coalesce(sum(${entries.amount}) filter (where ${on("gateway")} or ${on("manual")}), 0)::float8`,
      gateway: of("gateway"),
      manual: of("manual"),
    })
    .from(entries)
    .where(conditions(ctx, query))
    .groupBy(entries.currency)
    .orderBy(asc(entries.currency));
}

/** For the operator: how many entries there are and how many postings do not sum to zero; of one business when given. */
export async function unscopedPostingState(
  businessId?: number,
): Promise<{ entries: number; lopsided: number }> {
  const own = businessId === undefined ? sql`true` : sql`${entries.businessId} = ${businessId}`;
  const { rows } = await db.execute<{ entries: number; lopsided: number }>(sql`
    select (select count(*) from ${entries} where ${own})::float8 as entries,
      (select count(*) from (
        select from ${entries} where ${own} group by ${entries.businessId}, ${entries.mode}, ${entries.postingId}, ${entries.currency} having sum(${entries.amount}) <> 0
      ) as odd)::float8 as lopsided`);
  return rows[0] ?? { entries: 0, lopsided: 0 };
}

/** The sums that are booked for each payment, as a subquery named `booked`; of one business when given. */
export const bookedPerPayment = (businessId?: number) => sql`(
  select ${entries.businessId} as business_id, ${entries.paymentId} as payment_id,
    -sum(${entries.amount}) filter (where ${entries.account} = 'sales') as gross,
    coalesce(sum(${entries.amount}) filter (where ${entries.account} = 'refunds'), 0) as refunded,
    coalesce(sum(${entries.amount}) filter (where ${entries.account} = 'disputes'), 0) as disputed
  from ${entries} where ${businessId === undefined ? sql`true` : sql`${entries.businessId} = ${businessId}`} group by 1, 2
) as booked`;
