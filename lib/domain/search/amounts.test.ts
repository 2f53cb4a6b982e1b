import fc from "fast-check";
import { expect, test } from "vitest";
import { currencyCodes, currencyDigits } from "@/lib/kernel/currencies";
import { amountsIn } from "./amounts";

test.each([
  ["987.65", [98_765], 2],
  ["RM 987,65", [98_765], 2],
  ["1.250,50", [125_050], 2],
  ["1,250.50", [125_050], 2],
  ["1'250.50", [125_050], 2],
  ["12,5", [1_250], 2],
  ["MYR85", [8_500], 2],
  ["12,50 €", [1_250], 2],
  ["12.50 MYR", [1_250], 2],
  ["1 250,50€", [125_050], 2],
  ["£ 12.50", [1_250], 2],
  ["85 rm", [8_500], 2],
  ["S$ 12.50", [1_250], 2],
  ["US$12.50", [1_250], 2],
  ["12.50 S$", [1_250], 2],
  ["₱1,250.00", [125_000], 2],
  ["฿100.00", [10_000], 2],
  ["₹100", [10_000], 2],
  ["Rs.100", [10_000], 2],
  ["1’250.50", [125_050], 2],
  ["CHF 1’250.50", [125_050], 2],
  ["₫50.000", [50_000], 0],
  ["100 zł", [10_000], 2],
  ["500 JPY", [500], 0],
  ["1,250", [1_250], 0],
  ["1.250", [1_250_000, 1_250], 3],
])("%s is found as %j", (text, minors, digits) => {
  const found = amountsIn(text).filter((one) => one.digits === digits);
  expect(found.map(({ minor }) => minor)).toEqual(minors);
});

test.each([
  "",
  "INV-1042",
  "ana@example.com",
  "012-345 6789",
  "0123456789012",
  "1.2.3",
  "0",
  "RM",
  "€",
  "€ 12 MYR",
  "12.50 plus",
  "12 a",
  "₱",
  "S$",
  "฿100₹",
  "A B 12",
])("%s is no amount", (text) => {
  expect(amountsIn(text)).toEqual([]);
});

test("every amount is found as it is shown, with and without its groups", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3_000_000 }), (minor) => {
      const text = (minor / 100).toFixed(2);
      const shown = Number(text).toLocaleString("en-GB", { minimumFractionDigits: 2 });
      for (const written of [text, shown, `MYR ${shown}`, `${shown} MYR`, shown.replace(",", " ")])
        expect(amountsIn(written)).toContainEqual({ minor, digits: 2 });
    }),
  );
});

test("every currency is found with its code and the signs that it is shown with", () => {
  for (const currency of currencyCodes) {
    const digits = currencyDigits(currency) ?? 0;
    const minor = 12 * 10 ** digits;
    const signs = (["symbol", "narrowSymbol"] as const).map(
      (currencyDisplay) =>
        new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay })
          .formatToParts(0)
          .find(({ type }) => type === "currency")?.value,
    );
    // One letter, such as R, begins too many references.
    for (const sign of [currency, ...signs].filter((one = "") => !/^[a-z]$/i.test(one)))
      for (const text of [`${sign}12`, `${sign} 12`, `12 ${sign}`])
        expect([text, amountsIn(text)]).toEqual([
          text,
          expect.arrayContaining([{ minor, digits }]),
        ]);
  }
});

test("no text takes long to be read", () => {
  for (const text of ["1".repeat(200), "1,".repeat(100), `${"111,".repeat(50)}x`, "a$".repeat(100)])
    expect(amountsIn(text)).toEqual([]);
});
