import type { Statement, StatementCurrency } from "@/lib/contract/statements";
import { findBusiness } from "../businesses/rows";
import type { Ctx } from "../context";
import { otherDays } from "../ledger/other-days-rows";
import { sums } from "../ledger/rows";
import { countLines, type Month, monthIn, sumsWithoutFee } from "./rows";

/** A month of the business: its name, its zone and its bounds. */
export async function monthOf(ctx: Ctx, month: string) {
  const business = await findBusiness(ctx.businessId);
  if (!business) throw new Error("a statement of a business that does not exist");
  const { timeZone } = business;
  return { business, timeZone, bounds: await monthIn(month, timeZone) };
}

/** The balance of a month for each currency: before it, what was booked in it, and after it. */
export async function get(ctx: Ctx, month: string): Promise<Statement> {
  const { timeZone, bounds } = await monthOf(ctx, month);
  const { from, to } = bounds;
  const [currencies, other_days, lines] = await Promise.all([
    currenciesOf(ctx, bounds),
    otherDays(ctx, { created_from: from, created_to: to }),
    countLines(ctx, bounds),
  ]);
  return { month, time_zone: timeZone, from, to, currencies, other_days, lines };
}

async function currenciesOf(ctx: Ctx, bounds: Month): Promise<StatementCurrency[]> {
  const [before, during, withoutFee] = await Promise.all([
    sums(ctx, { created_to: bounds.before }),
    sums(ctx, { created_from: bounds.from, created_to: bounds.to }),
    sumsWithoutFee(ctx, bounds),
  ]);
  const opening = new Map(before.map(({ currency, net }) => [currency, net]));
  const booked = new Map(during.map((one) => [one.currency, one]));
  return [...new Set([...opening.keys(), ...booked.keys()])].sort().flatMap((currency) => {
    const { gross, refunds, disputes, fees, net, manual } = booked.get(currency) ?? nothing;
    const open = opening.get(currency) ?? 0;
    if (open === 0 && !booked.has(currency)) return [];
    const without_fee = withoutFee.get(currency) ?? 0;
    const month = { gross, refunds, disputes, fees, net, manual, without_fee };
    return [{ currency, opening: open, ...month, closing: open + net }];
  });
}

const nothing = { gross: 0, refunds: 0, disputes: 0, fees: 0, net: 0, manual: 0 };
