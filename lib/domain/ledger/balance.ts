import type { Balance, BalanceQuery } from "@/lib/contract/ledger";
import type { Ctx } from "../context";
import { otherDays } from "./other-days-rows";
import { sums } from "./rows";

/** The ledger's sums per currency, of all time or of what was booked within a range. */
export async function balance(ctx: Ctx, query: BalanceQuery): Promise<Balance> {
  const [currencies, other_days] = await Promise.all([sums(ctx, query), otherDays(ctx, query)]);
  return { currencies, other_days };
}
