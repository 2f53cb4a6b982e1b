import { expect, test } from "vitest";
import type { OverviewCurrency } from "@/lib/contract/overview";
import { comparison } from "./figures";

const month = { from: "2026-11-01", to: "2026-11-30" };

test.each([
  [112, 100, month, "12 % more than in the 30 days before"],
  [50, 100, month, "50 % less than in the 30 days before"],
  [-20, 100, month, "120 % less than in the 30 days before"],
  [1_000, 999, month, "As much as in the 30 days before"],
  [5, 0, month, "Nothing in the 30 days before"],
  [5, -5, month, "Nothing in the 30 days before"],
  [0, 0, month, ""],
  [2, 1, { from: "2026-11-30", to: "2026-11-30" }, "100 % more than on the day before"],
  [3_000_000, 1_000, month, "299,900 % more than in the 30 days before"],
])("%i after %i is said in words", (collected, previous_collected, range, words) => {
  expect(comparison({ collected, previous_collected } as OverviewCurrency, range)).toBe(words);
});
