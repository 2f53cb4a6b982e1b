import { expect, test } from "vitest";
import type { OverviewCurrency } from "@/lib/contract/overview";
import { comparison } from "./figures";

const month = { from: "2026-11-01", to: "2026-11-30" };

test.each([
  [112, 100, 2, month, "12 % more than in the 30 days before"],
  [50, 100, 2, month, "50 % less than in the 30 days before"],
  [-20, 100, 2, month, "120 % less than in the 30 days before"],
  [1_000, 999, 2, month, "As much as in the 30 days before"],
  [5, 0, 0, month, "Nothing in the 30 days before"],
  [5, 0, 2, month, "Nothing kept in the 30 days before"],
  [5, -5, 1, month, "Nothing kept in the 30 days before"],
  [0, 0, 2, month, ""],
  [2, 1, 1, { from: "2026-11-30", to: "2026-11-30" }, "100 % more than on the day before"],
  [3_000_000, 1_000, 2, month, "299,900 % more than in the 30 days before"],
])("%i after %i of %i payments is said in words", (collected, before, count, range, words) => {
  const money = { collected, previous_collected: before, previous_collected_count: count };
  expect(comparison(money as OverviewCurrency, range)).toBe(words);
});
