import type { Balance, BalanceQuery } from "@/lib/contract/ledger";
import type { Ctx } from "../context";
import { sums } from "./rows";

/** The ledger's sums per currency, of all time or of what was booked within a range. */
export async function balance(ctx: Ctx, query: BalanceQuery): Promise<Balance> {
  return { currencies: await sums(ctx, query) };
}
