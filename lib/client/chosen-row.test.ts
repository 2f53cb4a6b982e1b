import { expect, test } from "vitest";
import { latestOf } from "./chosen-row";

const chosen = { _id: "1", amount: 1_000 };
const other = { _id: "2", amount: 3_000 };

test("a dialog is about the row as its list has it now", () => {
  const now = { _id: "1", amount: 2_000 };
  expect(latestOf([other, now], chosen)).toBe(now);
});

test("a row that left its list stays as it was chosen, and nothing is chosen without a choice", () => {
  expect(latestOf([other], chosen)).toBe(chosen);
  expect(latestOf(undefined, chosen)).toBe(chosen);
  expect(latestOf([other], null)).toBeNull();
});
