import { expect, test } from "vitest";
import { openLinks } from "./undo-import";

test("the question of an undo says how many links are open and what they come to", () => {
  const myr = { currency: "MYR", count: 283, amount: 5_254_000 };
  expect(
    openLinks([myr, { currency: "SGD", count: 1, amount: 500 }]).replaceAll("\u00a0", " "),
  ).toBe("284 payment links are open: MYR 52,540.00 and SGD 5.00.");
  expect(openLinks([{ ...myr, count: 1 }])).toMatch(/^1 payment link is open/);
  expect(openLinks([])).toBe("No payment link of it is open.");
});
