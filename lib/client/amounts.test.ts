import { expect, test } from "vitest";
import { amountProblem, minorFrom } from "./amounts";

test("what a person writes becomes minor units in the currency's own digits", () => {
  expect(minorFrom("12.50", "MYR")).toBe(1250);
  expect(minorFrom("1,250.5", "MYR")).toBe(125050);
  expect(minorFrom("12.", "MYR")).toBe(1200);
  expect(minorFrom(" 500 ", "JPY")).toBe(500);
  expect(minorFrom("0.5", "KWD")).toBe(500);
});

test("what is no amount of the currency is none", () => {
  for (const text of ["12.345", "1,5", "-5", "5e2", "abc", "", "."])
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
  expect(amountProblem("twelve", "MYR")).toBe("This is no amount of MYR.");
});
