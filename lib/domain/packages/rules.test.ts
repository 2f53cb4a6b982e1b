import { expect, test } from "vitest";
import { assertDeletable, assertSubscribable, assertTermsKept } from "./rules";

const terms = {
  amount: 1_000,
  currency: "MYR",
  frequency: "monthly",
  dateChargeStart: "2026-01-31",
};

test.each([
  ["amount", { amount: 1_001 }],
  ["currency", { currency: "SGD" }],
  ["frequency", { frequency: "weekly" }],
  ["date_charge_start", { dateChargeStart: "2026-02-01" }],
])("the %s of a package with a subscriber stays", (name, change) => {
  const after = { ...terms, ...change };
  expect(() => assertTermsKept({ ...terms, subscribedCount: 1 }, after)).toThrow(name);
  expect(() => assertTermsKept({ ...terms, subscribedCount: 0 }, after)).not.toThrow();
});

test("the same terms are no change", () => {
  expect(() => assertTermsKept({ ...terms, subscribedCount: 9 }, { ...terms })).not.toThrow();
});

test("a package is deleted only without live subscriptions, and says how many there are", () => {
  expect(() => assertDeletable({ liveCount: 0 })).not.toThrow();
  expect(() => assertDeletable({ liveCount: 1 })).toThrow("1 live subscription and");
  expect(() => assertDeletable({ liveCount: 2 })).toThrow("2 live subscriptions and");
});

test("only an active package takes subscribers", () => {
  expect(() => assertSubscribable({ status: "active" })).not.toThrow();
  for (const row of [undefined, { status: "cancelled" }])
    expect(() => assertSubscribable(row)).toThrow();
});
