import type { Gateway, Money, WriteAmount } from "./gateway";

/** Why a gateway cannot charge an amount, as a sentence that begins with "The amount"; null when it can. It refunds what `validateAmount` lets pass. */
export function chargeRefusal(
  gateway: Pick<Gateway, "title" | "minimums" | "validateAmount">,
  money: Money,
  write: WriteAmount = String,
): string | null {
  const minimum = gateway.minimums[money.currency];
  return minimum !== undefined && money.amount < minimum
    ? `The amount must be at least ${write(minimum, money.currency)} in ${money.currency}: ${gateway.title} charges no less.`
    : gateway.validateAmount(money, write);
}
