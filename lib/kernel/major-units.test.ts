import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { currencyCodes } from "./currencies";
import { minorOf } from "./major-units";
import { decimalAmount, minorDigits } from "./money";

test.each([
  ["1,234.50", 123_450],
  ["1234", 123_400],
  ["49.9", 4_990],
  ["12.345", 1_235],
  ["45.844421100000005", 4_584],
  ["443.625633", 44_363],
  ["10.333", 1_033],
  ["1,234,567.005", 123_456_701],
  ["0.005", 1],
  ["0.0049999999999999999", 0],
  // A double makes 100.49999999999999 of this.
  ["1.005", 101],
  ["8.575", 858],
])("MYR %s is %i in minor units", (text, minor) => {
  expect(minorOf(text, "MYR")).toBe(minor);
});

test.each([
  ["JPY", "1234.5", 1_235],
  ["JPY", "500", 500],
  ["KWD", "0.5", 500],
  ["KWD", "1.2345", 1_235],
])("%s %s is %i", (currency, text, minor) => {
  expect(minorOf(text, currency)).toBe(minor);
});

test.each([
  ...["", " ", "-1", "+1", "1e3", "1E3", " 1", "1 ", "1.", ".5", "1,23", "12,34.5", "1234,567"],
  ...["1,2345", ",123", "1.2.3", "1,234,56", "0x10", "NaN", "Infinity", "1_000", "١٢", "1\n"],
  ...["1234567890", "1,234,567,890", `1.${"1".repeat(21)}`],
])("%j is no amount", (text) => {
  expect(minorOf(text, "MYR")).toBeUndefined();
});

const currency = fc.constantFrom(...currencyCodes);
const minor = fc.integer({ min: 0, max: 3_000_000 });

describe("no text is off by a factor or a cent", () => {
  test("the decimal text of an amount is that amount, with or without commas", () => {
    fc.assert(
      fc.property(currency, minor, (code, amount) => {
        const text = decimalAmount(amount, code);
        const [whole = "", fraction] = text.split(".");
        const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
        expect(minorOf(text, code)).toBe(amount);
        expect(minorOf(fraction === undefined ? grouped : `${grouped}.${fraction}`, code)).toBe(
          amount,
        );
      }),
    );
  });

  test("zeros at the end change nothing", () => {
    fc.assert(
      fc.property(currency, minor, fc.integer({ min: 1, max: 10 }), (code, amount, zeros) => {
        const text = decimalAmount(amount, code);
        const longer = `${text.includes(".") ? text : `${text}.`}${"0".repeat(zeros)}`;
        expect(minorOf(longer, code)).toBe(amount);
      }),
    );
  });

  test("more digits are rounded half up, by exact arithmetic", () => {
    fc.assert(
      fc.property(
        currency,
        fc.integer({ min: 0, max: 999_999_999 }),
        fc.stringMatching(/^\d{1,20}$/),
        (code, whole, fraction) => {
          // In units of 10^-20, so that nothing is lost.
          const exact = BigInt(whole) * 10n ** 20n + BigInt(fraction.padEnd(20, "0"));
          const unit = 10n ** BigInt(20 - minorDigits(code));
          const rounded = (exact + unit / 2n) / unit;
          expect(minorOf(`${whole}.${fraction}`, code)).toBe(Number(rounded));
        },
      ),
    );
  });

  test("the text that PHP or JavaScript writes for a float is the amount that people meant", () => {
    fc.assert(
      fc.property(fc.integer({ min: 500, max: 3_000_000 }), (amount) => {
        expect(minorOf(String(amount / 100), "MYR")).toBe(amount);
        // Seventeen digits, as PHP writes with serialize_precision 17.
        const long = (amount / 100).toPrecision(17);
        expect(minorOf(long, "MYR")).toBe(amount);
      }),
    );
  });
});
