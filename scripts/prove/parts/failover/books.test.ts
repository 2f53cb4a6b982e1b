import { expect, test } from "vitest";
import { type Acknowledged, compareBooks, type Kept } from "./books";

const charge = (attempt: string, amount = 1_250) => ({ attempt, amount, currency: "myr" });
const paid = (attempt: string, cause: string) => ({
  attempt,
  amount: 1_250,
  currency: "MYR",
  cause,
});
const acknowledged: Acknowledged = {
  links: new Map([["l1", "First"]]),
  payments: new Set(["p1"]),
};
const kept: Kept = { links: new Map([["l1", "First"]]), payments: [paid("p1", "l1")] };
const nothing = { lost: [], doubled: [], unbooked: [], invented: [] };

test("books that agree have no findings", () => {
  expect(compareBooks(acknowledged, [charge("p1")], kept)).toEqual(nothing);
});

test("a link that was acknowledged and is gone, or otherwise, is lost", () => {
  expect(compareBooks(acknowledged, [charge("p1")], { ...kept, links: new Map() }).lost).toEqual([
    "l1",
  ]);
  const changed = { ...kept, links: new Map([["l1", "Other"]]) };
  expect(compareBooks(acknowledged, [charge("p1")], changed).lost).toEqual(["l1"]);
});

test("a payment that was acknowledged and is gone is lost, and its charge is not booked", () => {
  expect(compareBooks(acknowledged, [charge("p1")], { ...kept, payments: [] })).toEqual({
    ...nothing,
    lost: ["p1"],
    unbooked: ["p1 1250 MYR"],
  });
});

test("an attempt that was charged twice is doubled", () => {
  expect(compareBooks(acknowledged, [charge("p1"), charge("p1")], kept)).toEqual({
    ...nothing,
    doubled: ["p1"],
  });
});

test("a link that was paid by two attempts is doubled", () => {
  const payments = [paid("p1", "l1"), paid("p2", "l1")];
  expect(
    compareBooks(acknowledged, [charge("p1"), charge("p2")], { ...kept, payments }).doubled,
  ).toEqual(["l1"]);
});

test("a payment without a charge is invented, and one of another amount is both", () => {
  expect(compareBooks(acknowledged, [], kept).invented).toEqual(["p1 1250 MYR"]);
  expect(compareBooks(acknowledged, [charge("p1", 1_251)], kept)).toEqual({
    ...nothing,
    unbooked: ["p1 1251 MYR"],
    invented: ["p1 1250 MYR"],
  });
});
