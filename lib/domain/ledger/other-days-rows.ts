import { and, eq, isNotNull, sql } from "drizzle-orm";
import { db } from "@/db/client";
import { createdFilters, filtered } from "@/db/filters";
import { owned } from "@/db/owned";
import { ledgerEntries as entries, payments } from "@/db/schema/payments";
import type { BalanceQuery, OtherDays } from "@/lib/contract/ledger";
import type { Ctx } from "../context";
import { on } from "./rows";

/** What came within a range and was booked outside it, and the reverse. Only a payment recorded by hand has a day of its own. */
export async function otherDays(
  ctx: Ctx,
  { currency, ...range }: BalanceQuery,
): Promise<OtherDays> {
  const { created_from, created_to } = range;
  if (created_from === undefined && created_to === undefined) return [];
  const [booked, paid] = await Promise.all([
    byHand(ctx, currency, range, [payments.succeededAt, entries.createdAt]),
    byHand(ctx, currency, range, [entries.createdAt, payments.succeededAt]),
  ]);
  return [...new Set([...booked.keys(), ...paid.keys()])].sort().map((code) => ({
    currency: code,
    booked: booked.get(code) ?? 0,
    paid: paid.get(code) ?? 0,
  }));
}

type Moment = typeof entries.createdAt | typeof payments.succeededAt;

/** The payments recorded by hand with one moment within the range and the other outside it, by currency. */
async function byHand(
  ctx: Ctx,
  currency: string | undefined,
  range: Omit<BalanceQuery, "currency">,
  [inside, outside]: readonly [Moment, Moment],
): Promise<Map<string, number>> {
  const within = (moment: Moment) => and(...filtered(createdFilters(moment), range));
  const rows = await db
    .select({
      currency: entries.currency,
      amount: sql<number>`sum(${entries.amount})::float8`,
    })
    .from(entries)
    .innerJoin(
      payments,
      owned(ctx, payments, eq(payments.id, entries.paymentId), isNotNull(payments.succeededAt)),
    )
    .where(
      owned(
        ctx,
        entries,
        eq(entries.kind, "gross"),
        on("manual"),
        currency === undefined ? undefined : eq(entries.currency, currency),
        within(inside),
        sql`not (${within(outside)})`,
      ),
    )
    .groupBy(entries.currency);
  return new Map(rows.map((row) => [row.currency, row.amount]));
}
