import fc from "fast-check";
import { expect, test } from "vitest";
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

test("no text takes long to be read", () => {
  for (const text of ["1".repeat(200), "1,".repeat(100), `${"111,".repeat(50)}x`])
    expect(amountsIn(text)).toEqual([]);
});
