import currencyTable from "currency-codes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { currencyCodes, currencyDigits } from "@/lib/kernel/currencies";
import { decimalAmount, displayAmount, minorDigits } from "@/lib/kernel/money";

const currency = fc.constantFrom(...currencyCodes);
const amount = fc.integer({ min: -3_000_000, max: 3_000_000 });

describe("amounts", () => {
  test.each([
    [1234, "MYR", "12.34"],
    [500, "JPY", "500"],
    [500, "KWD", "0.500"],
    [5, "MYR", "0.05"],
    [0, "KWD", "0.000"],
    [-1, "USD", "-0.01"],
    [3_000_000, "IQD", "3000.000"],
  ])("%i in %s is %s", (minor, code, text) => expect(decimalAmount(minor, code)).toBe(text));
  test("no digit is lost: the decimal text without its point is the amount again", () => {
    fc.assert(
      fc.property(amount, currency, (minor, code) => {
        const text = decimalAmount(minor, code);
        expect(Number(text.replace(".", ""))).toBe(minor === 0 ? 0 : minor);
        expect(text.split(".")[1]?.length ?? 0).toBe(minorDigits(code));
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d+)?$/);
      }),
    );
  });
  test.each([
    [123_450, "MYR", "MYR 1,234.50"],
    [3_000_000, "JPY", "JPY 3,000,000"],
    [999, "USD", "USD 9.99"],
    [-123_450, "MYR", "MYR −1,234.50"],
    [1_234_567, "KWD", "KWD 1,234.567"],
  ])("people read %i in %s as %s", (minor, code, text) =>
    expect(displayAmount(minor, code)).toBe(text),
  );
  test("what people read says the same as the decimal text", () => {
    fc.assert(
      fc.property(amount, currency, (minor, code) => {
        expect(displayAmount(minor, code).slice(4).replaceAll(",", "").replace("−", "-")).toBe(
          decimalAmount(minor, code),
        );
      }),
    );
  });
  test("a currency that the contract does not know throws, and no digits are guessed", () => {
    expect(() => decimalAmount(500, "XXX")).toThrow("XXX");
  });
});

describe("the currency table", () => {
  // What the package of 2024 knows otherwise: funds, metals and test codes, and what has been introduced or withdrawn since.
  const notCirculating = [
    "BOV",
    "CHE",
    "CHW",
    "CLF",
    "COU",
    "MXV",
    "USN",
    "UYI",
    "UYW",
    "XAG",
    "XAU",
    "XBA",
    "XBB",
    "XBC",
    "XBD",
    "XDR",
    "XPD",
    "XPT",
    "XSU",
    "XTS",
    "XUA",
    "XXX",
  ];
  const withdrawnSince = ["ANG", "BGN", "CUC"];
  const newSince = ["XCG"];

  test("differs from the ISO 4217 list only where it must", () => {
    const theirs = currencyTable.codes();
    expect(theirs.filter((code) => currencyDigits(code) === undefined).sort()).toEqual(
      [...notCirculating, ...withdrawnSince].sort(),
    );
    expect(currencyCodes.filter((code) => !theirs.includes(code))).toEqual(newSince);
  });
  test("has the digits of ISO 4217", () => {
    const shared = currencyCodes.filter((code) => !newSince.includes(code));
    expect(shared.map((code) => [code, currencyDigits(code)])).toEqual(
      shared.map((code) => [code, currencyTable.code(code)?.digits]),
    );
  });
  test("is sorted, without doubles, and shaped like codes", () => {
    expect(currencyCodes).toEqual([...new Set(currencyCodes)].sort());
    for (const code of currencyCodes) expect(code).toMatch(/^[A-Z]{3}$/);
  });
});
