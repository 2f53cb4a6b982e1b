import { minorDigits } from "./money";

const GROUPED = /^\d{1,3}(,\d{3})+(\.\d+)?$/;
const PLAIN = /^(\d{1,9})(?:\.(\d{1,20}))?$/;

/**
 * An amount in major units as minor units of its currency, rounded half up. It works on the text alone: a double would lose a cent. Undefined
 * for any text that is not a plain decimal number, with or without commas between thousands.
 */
export function minorOf(text: string, currency: string): number | undefined {
  const plain = GROUPED.test(text) ? text.replaceAll(",", "") : text;
  const [, whole, fraction = ""] = PLAIN.exec(plain) ?? [];
  if (whole === undefined) return undefined;
  const digits = minorDigits(currency);
  const kept = fraction.slice(0, digits).padEnd(digits, "0");
  const up = (fraction[digits] ?? "0") >= "5" ? 1n : 0n;
  return Number(BigInt(whole + kept) + up);
}
