import { currencyDigits } from "@/lib/kernel/currencies";

/** Why a text is no amount of a currency; undefined where it is one. */
export function amountProblem(text: string, currency: string): string | undefined {
  if (minorFrom(text, currency) !== undefined) return undefined;
  const digits = currencyDigits(currency) ?? 2;
  if (/^[\d, ]+\.\d+$/.test(text.trim()))
    return digits === 0
      ? `An amount of ${currency} has no decimals.`
      : `The amount may have at most ${digits} decimals.`;
  return currency ? `This is no amount of ${currency}.` : "This is no amount.";
}

/**
 * What a person wrote as an amount, in minor units: ("1,250.5", "MYR") is 125050, ("500", "JPY") is 500.
 * Undefined where it is no amount of that currency, such as "12.345" ringgit.
 */
export function minorFrom(text: string, currency: string): number | undefined {
  const digits = currencyDigits(currency) ?? 2;
  const [, whole, fraction = ""] =
    /^(\d{1,3}(?:[, ]?\d{3})*|\d+)(?:\.(\d*))?$/.exec(text.trim()) ?? [];
  if (whole === undefined || fraction.length > digits) return undefined;
  const minor = Number(whole.replace(/[, ]/g, "") + fraction.padEnd(digits, "0"));
  return Number.isSafeInteger(minor) ? minor : undefined;
}
