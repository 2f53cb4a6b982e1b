import { currencyDigits } from "./currencies";

/** Digits of a currency's minor unit by ISO 4217; throws for a code the contract does not accept. */
export function minorDigits(currency: string): number {
  const digits = currencyDigits(currency);
  if (digits === undefined) throw new Error(`not a currency in circulation: ${currency}`);
  return digits;
}

/** Minor units to a decimal string without grouping: (1234, "MYR") is "12.34", (500, "JPY") is "500". */
export function decimalAmount(amount: number, currency: string): string {
  const digits = minorDigits(currency);
  const sign = amount < 0 ? "-" : "";
  const text = String(Math.abs(amount));
  if (digits === 0) return sign + text;
  const padded = text.padStart(digits + 1, "0");
  return `${sign}${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
}

/** For people: "MYR 1,234.50". The code leads, so that two currencies with the same sign are never confused. */
export function displayAmount(amount: number, currency: string): string {
  const [whole = "", fraction] = decimalAmount(Math.abs(amount), currency).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${currency} ${amount < 0 ? "−" : ""}${grouped}${fraction === undefined ? "" : `.${fraction}`}`;
}
