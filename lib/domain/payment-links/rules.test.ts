import { expect, test } from "vitest";
import { linkStatuses } from "@/lib/contract/values";
import { assertChangeable, stateOf, statusAfterUpdate } from "./rules";

const open = { status: "Active", subscriptionId: null, openPaymentId: null } as const;

test("a link can be changed unless it is paid or a payer may be paying it", () => {
  for (const status of ["Active", "Expired", "Cancelled"] as const)
    expect(() => assertChangeable({ ...open, status })).not.toThrow();
  expect(() => assertChangeable({ ...open, status: "Paid" })).toThrow("already paid");
  expect(() => assertChangeable({ ...open, status: "Processing" })).toThrow("being processed");
  expect(() => assertChangeable({ ...open, openPaymentId: "1" })).toThrow(
    "at the payment provider",
  );
});

test("a period's link is changed by its subscription alone", () => {
  const link = { ...open, subscriptionId: "1" };
  expect(() => assertChangeable(link)).toThrow("subscription period");
  expect(() => assertChangeable(link, true)).not.toThrow();
  expect(() => assertChangeable({ ...link, status: "Paid" }, true)).toThrow("already paid");
});

test("an update brings back an expired link and no other", () => {
  expect(linkStatuses.map((status) => [status, statusAfterUpdate(status)])).toEqual(
    linkStatuses.map((status) => [status, status === "Expired" ? "Active" : status]),
  );
});

test.each([
  ["Active", false, "pay"],
  ["Active", true, "expired"],
  ["Paid", true, "paid"],
  ["Processing", true, "processing"],
  ["Cancelled", false, "cancelled"],
  ["Expired", false, "expired"],
] as const)("the page of an %s link, over: %s, shows %s", (status, over, state) => {
  expect(stateOf({ link: { status, deletedAt: null }, over })).toBe(state);
  expect(stateOf({ link: { status, deletedAt: "2026-01-01" }, over })).toBe("deleted");
});
