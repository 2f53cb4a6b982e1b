import { currencyDigits } from "@/lib/kernel/currencies";

/** What a point before three digits is where a currency has no decimals: people part thousands by it, programs only decimals. */
type Point = "any" | "decimal";

/** Why a text is no amount of a currency; undefined where it is one. */
export function amountProblem(
  text: string,
  currency: string,
  point: Point = "any",
): string | undefined {
  if (minorFrom(text, currency, point) !== undefined) return undefined;
  const digits = digitsOf(currency);
  const found = parts(withoutSign(text, currency));
  if (!found)
    return `Write an amount${currency ? ` of ${currency}` : ""}, such as ${digits === 0 ? "1250" : "12.50"}.`;
  if (digits === 0)
    return `An amount of ${currency} has no decimals${groups(found) ? `: write ${found.whole}${found.fraction}, or ${found.whole}` : ""}.`;
  if (isTwofold(found, digits))
    return `Write ${found.whole}.${found.fraction} or ${found.whole}${found.fraction}: the comma can be read in two ways.`;
  return `The amount may have at most ${digits} decimals.`;
}

/**
 * What a person wrote as an amount, in minor units: ("1,250.5", "MYR") and ("1.250,50", "MYR") are 125050, ("500", "JPY") is 500.
 * Undefined where it is no amount of that currency, such as "12.345" ringgit, or can be read in two ways.
 */
export function minorFrom(
  text: string,
  currency: string,
  point: Point = "any",
): number | undefined {
  const digits = digitsOf(currency);
  const found = parts(withoutSign(text, currency));
  if (!found || isTwofold(found, digits)) return undefined;
  const parted = groups(found) && (found.mark === "," || (digits === 0 && point === "any"));
  const { whole, fraction } = parted
    ? { whole: found.whole + found.fraction, fraction: "" }
    : found;
  if (fraction.length > digits) return undefined;
  const minor = Number(whole + fraction.padEnd(digits, "0"));
  return Number.isSafeInteger(minor) ? minor : undefined;
}

/** The text without the currency's own code or sign, on either side: "RM 12.50" is "12.50". */
function withoutSign(text: string, currency: string): string {
  const plain = text.trim();
  if (/^\d.*\d$|^\d$/.test(plain)) return plain;
  const sign = signsOf(currency).find((one) => {
    const upper = plain.toUpperCase();
    return upper.startsWith(one) || upper.endsWith(one);
  });
  if (!sign) return plain;
  return (
    plain.toUpperCase().startsWith(sign) ? plain.slice(sign.length) : plain.slice(0, -sign.length)
  ).trim();
}

const signs = new Map<string, readonly string[]>();

// A file has thousands of amounts, and a formatter takes longer to make than to use.
function signsOf(currency: string): readonly string[] {
  if (currencyDigits(currency) === undefined) return [];
  const known = signs.get(currency) ?? readSigns(currency);
  signs.set(currency, known);
  return known;
}

function readSigns(currency: string): string[] {
  const shown = (["symbol", "narrowSymbol"] as const).flatMap((currencyDisplay) =>
    // Malay says RM, and English outside America US$.
    ["en", "en-GB", "ms"].flatMap((locale) =>
      new Intl.NumberFormat(locale, { style: "currency", currency, currencyDisplay })
        .formatToParts(0)
        .flatMap(({ type, value }) => (type === "currency" ? [value.toUpperCase()] : [])),
    ),
  );
  // The longest first: "US$" ends in "$".
  return [currency, ...new Set(shown)].sort((a, b) => b.length - a.length);
}

const digitsOf = (currency: string) => currencyDigits(currency) ?? 2;

type Parts = { whole: string; fraction: string; mark: "," | "." | ""; grouped: boolean };

/** Whether the mark may part thousands. */
const groups = ({ whole, fraction, grouped }: Parts) =>
  !grouped && fraction.length === 3 && /^[1-9]\d{0,2}$/.test(whole);

/** "1,250" dinars: 1,250 or 1.250 of them. */
const isTwofold = (found: Parts, digits: number) =>
  digits === 3 && found.mark === "," && groups(found);

// One mark parts the decimals; the other one, a blank or an apostrophe parts thousands.
const written = [
  /^(\d{1,3}(?:([, '’\u00a0\u202f])\d{3}(?:\2\d{3})*)?|\d+)(?:(\.)(\d*))?$/,
  /^(\d{1,3}(?:([. '’\u00a0\u202f])\d{3}(?:\2\d{3})*)?|\d+)(?:(,)(\d*))?$/,
];

function parts(text: string): Parts | undefined {
  for (const form of written) {
    const [, whole, separator, mark, fraction = ""] = form.exec(text.trim()) ?? [];
    if (whole === undefined) continue;
    const plain = whole.replaceAll(/\D/g, "");
    // One mark alone before three digits: which one it is decides, not the form that it fits first.
    if (!mark && (separator === "," || separator === ".") && whole.split(separator).length === 2) {
      const [before = "", after = ""] = whole.split(separator);
      return { whole: before, fraction: after, mark: separator, grouped: false };
    }
    return {
      whole: plain,
      fraction,
      mark: mark === "," || mark === "." ? mark : "",
      grouped: separator !== undefined,
    };
  }
  return undefined;
}
