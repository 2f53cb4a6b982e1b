import { currencyDigits } from "@/lib/kernel/currencies";
import type { Money, WriteAmount } from "../gateway";

// Stripe counts in units of its own: most are those of ISO 4217, these are not.
/** No minor unit by ISO 4217, and two digits of it at Stripe. */
const timesHundred = new Set(["ISK", "UGX"]);
/** Two digits by ISO 4217, and none at Stripe. */
const wholeOnly = new Set(["MGA"]);

/** How to convert minor units to Stripe's units: multiply by `times`. Amounts must be multiples of `step` minor units. */
function scale(currency: string): { times: number; step: number } {
  if (timesHundred.has(currency)) return { times: 100, step: 1 };
  if (wholeOnly.has(currency)) return { times: 0.01, step: 100 };
  return { times: 1, step: currencyDigits(currency) === 3 ? 10 : 1 };
}

/** Stripe takes eight digits of its own unit at most; that it takes more of some currencies is of no use here. */
const MAX_AMOUNT = 99_999_999;

/** Why Stripe cannot take an amount, as a sentence; null when it can. Minor units by ISO 4217. */
export function refusal({ amount, currency }: Money, write: WriteAmount = String): string | null {
  const { step, times } = scale(currency);
  if (amount % step === 0)
    return amount * times <= MAX_AMOUNT
      ? null
      : `The amount must not be greater than ${write(Math.floor(MAX_AMOUNT / times), currency)} in ${currency}: Stripe takes no more at once.`;
  return currency === "MGA"
    ? `The amount must be a multiple of ${write(step, currency)} in MGA: Stripe takes whole ariary only.`
    : `The amount must be a multiple of ${write(step, currency)} in ${currency}: Stripe takes no third digit.`;
}

/** An amount as Stripe wants it; null when it has no such amount. */
export function toStripe(money: Money): { amount: number; currency: string } | null {
  if (refusal(money) !== null) return null;
  return {
    amount: Math.round(money.amount * scale(money.currency).times),
    currency: money.currency.toLowerCase(),
  };
}

/** What Stripe says in minor units by ISO 4217; null for a currency we do not know, or a part of a unit. */
export function fromStripe(amount: number, currency: string): Money | null {
  const code = currency.toUpperCase();
  if (currencyDigits(code) === undefined) return null;
  const ours = amount / scale(code).times;
  const whole = Math.round(ours);
  return Math.abs(ours - whole) < 1e-6 ? { amount: whole, currency: code } : null;
}
