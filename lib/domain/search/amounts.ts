import { limits } from "@/lib/contract/values";

/** An amount in minor units of a currency with so many decimals. */
export type Amount = { minor: number; digits: number };

// A code, such as MYR, RM or Rs., or a sign, such as ₱ or S$. Francs of Africa and the Pacific have longer ones.
const sign = String.raw`(?:f\s?cfa|cfpf|\p{L}{0,3}\p{Sc}|\p{L}{2,3}\.?)`;
const currency = new RegExp(`^${sign}|${sign}$`, "iu");

/** The amounts that a text may mean, as people write them: "987.65", "RM 1.250,50", "S$ 1’250", "12,50 €". None where it is no number. */
export function amountsIn(text: string): Amount[] {
  const written = text.trim().replace(currency, "").trim();
  if (!/^\d[\d\s.,'’]*$/.test(written)) return [];
  const number = written.replace(/[\s'’]/g, "");
  const readings = [...grouped(number), ...decimal(number)];
  return [0, 2, 3].flatMap((digits) => {
    const minors = readings
      .filter(({ fraction }) => fraction.length <= digits)
      .map(({ whole, fraction }) => Number(whole + fraction.padEnd(digits, "0")));
    return [...new Set(minors)]
      .filter((minor) => minor > 0 && minor <= limits.amountMax)
      .map((minor) => ({ minor, digits }));
  });
}

type Reading = { whole: string; fraction: string };

const grouped = (number: string): Reading[] =>
  /^(\d+|\d{1,3}([.,])\d{3}(\2\d{3})*)$/.test(number)
    ? [{ whole: number.replace(/[.,]/g, ""), fraction: "" }]
    : [];

function decimal(number: string): Reading[] {
  const [, whole, fraction] = /^(.*\d)[.,](\d{1,3})$/.exec(number) ?? [];
  return whole === undefined || fraction === undefined
    ? []
    : grouped(whole).map((one) => ({ ...one, fraction }));
}
