import { expect, test, vi } from "vitest";
import { amountProblem, minorFrom } from "./amounts";

test("what a person writes becomes minor units in the currency's own digits", () => {
  expect(minorFrom("12.50", "MYR")).toBe(1250);
  expect(minorFrom("1,250.5", "MYR")).toBe(125050);
  expect(minorFrom("12.", "MYR")).toBe(1200);
  expect(minorFrom(" 500 ", "JPY")).toBe(500);
  expect(minorFrom("0.5", "KWD")).toBe(500);
});

test("an amount may be written with a comma before its decimals, and with any usual sign between thousands", () => {
  const one = ["1250.50", "1,250.50", "1.250,50", "1 250,50", "1 250.5", "1'250.50", "1250,5"];
  for (const text of one) expect(minorFrom(text, "MYR"), text).toBe(125_050);
  for (const text of ["12,50", "12,5", "12.5"]) expect(minorFrom(text, "EUR"), text).toBe(1_250);
  for (const text of ["1,234,567", "1.234.567", "1 234 567", "1.234.567,00"])
    expect(minorFrom(text, "USD"), text).toBe(123_456_700);
  expect(minorFrom("1,250", "MYR")).toBe(125_000);
  expect(minorFrom("1,250", "JPY")).toBe(1_250);
  expect(minorFrom("1.250", "KWD")).toBe(1_250);
  expect(minorFrom("1.250,500", "KWD")).toBe(1_250_500);
});

test("where a currency has no decimals, people part thousands by a point, and programs do not", () => {
  for (const text of ["50.000", "50,000", "50 000", "50000", "50.000 ₫"])
    expect(minorFrom(text, "VND"), text).toBe(50_000);
  expect(minorFrom("1.250.000", "VND", "decimal")).toBe(1_250_000);
  for (const text of ["50.00", "0.500", "1250.000", "050.000"])
    expect(minorFrom(text, "VND"), text).toBeUndefined();
  expect(minorFrom("33.125", "JPY", "decimal")).toBeUndefined();
  expect(amountProblem("33.125", "JPY", "decimal")).toBe(
    "An amount of JPY has no decimals: write 33125, or 33.",
  );
  expect(minorFrom("1.250", "KWD", "decimal")).toBe(1_250);
});

test("an amount may carry the code or the sign of its own currency, and of no other", () => {
  for (const text of ["RM 12.50", "RM12.50", "rm 12,50", "MYR 12.50", "12.50 MYR"])
    expect(minorFrom(text, "MYR"), text).toBe(1_250);
  for (const text of ["$12.50", "US$ 12.50", "USD 12.50"])
    expect(minorFrom(text, "USD"), text).toBe(1_250);
  expect(minorFrom("12,50 €", "EUR")).toBe(1_250);
  for (const text of ["€ 12.50", "USD 12.50", "RM", "RM RM 5"])
    expect(minorFrom(text, "MYR"), text).toBeUndefined();
});

test("the signs of a currency are looked up once, however many amounts carry one", () => {
  const made = vi.spyOn(Intl, "NumberFormat");
  for (let at = 1; at <= 100; at++) {
    expect(minorFrom(`฿ ${at}.50`, "THB")).toBe(at * 100 + 50);
    expect(minorFrom(`${at}.50 £`, "GBP")).toBe(at * 100 + 50);
    expect(amountProblem(`£ ${at}.505`, "GBP")).toBe("The amount may have at most 2 decimals.");
  }
  expect(made.mock.calls.length).toBeLessThanOrEqual(12);
  made.mockRestore();
});

test("what can be read in two ways is no amount", () => {
  expect(minorFrom("1,250", "KWD")).toBeUndefined();
  expect(amountProblem("1,250", "KWD")).toBe(
    "Write 1.250 or 1250: the comma can be read in two ways.",
  );
  expect(minorFrom("1.250", "MYR")).toBeUndefined();
  expect(minorFrom("0,250", "MYR")).toBeUndefined();
});

test("what is no amount of the currency is none", () => {
  for (const text of [
    "12.345",
    "1,2,3",
    "1.2.3",
    "1,25,000",
    "1.234,567,890",
    "-5",
    "5e2",
    "abc",
    "",
    ".",
  ])
    expect(minorFrom(text, "MYR"), text).toBeUndefined();
  expect(minorFrom("5.5", "JPY")).toBeUndefined();
});

test("no binary fraction ever moves a cent", () => {
  for (let minor = 500; minor < 3_000; minor++)
    expect(minorFrom((minor / 100).toFixed(2), "MYR")).toBe(minor);
});

test("why a text is no amount is said in the person's own terms", () => {
  expect(amountProblem("12.50", "MYR")).toBeUndefined();
  expect(amountProblem("1,250.505", "MYR")).toBe("The amount may have at most 2 decimals.");
  expect(amountProblem("5.5", "JPY")).toBe("An amount of JPY has no decimals.");
  expect(amountProblem("twelve", "MYR")).toBe("Write an amount of MYR, such as 12.50.");
});
