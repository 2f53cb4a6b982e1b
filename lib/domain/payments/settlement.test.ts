import { expect, test } from "vitest";
import { paymentStatuses } from "@/lib/contract/values";
import type { FindAnswer } from "@/lib/gateways/gateway";
import { settlementOf } from "./settlement";

const live = {
  status: "requires_action",
  amount: 1_000,
  currency: "MYR",
  succeededAt: null,
  gatewayId: null,
  message: null,
  flags: [] as string[],
} as const;
const paid: FindAnswer = {
  kind: "succeeded",
  gatewayId: "pi_1",
  fee: null,
  amount: 1_000,
  currency: "MYR",
};
const page: FindAnswer = { kind: "open", gatewayId: "pi_1", url: "https://gateway.test/1" };

test("the amount that was asked is a success", () => {
  expect(settlementOf(live, paid)).toEqual({ kind: "apply", status: "succeeded" });
});

test.each([
  ["amount", { ...paid, amount: 999 }],
  ["currency", { ...paid, currency: "SGD" }],
] as const)("another %s is set aside, whatever the payment's status", (_field, answer) => {
  for (const status of paymentStatuses)
    for (const succeededAt of [null, "2026-01-01T00:00:00.000000Z"])
      expect(settlementOf({ ...live, status, succeededAt }, answer)).toEqual({
        kind: "set_aside",
        answer,
      });
});

test("one that waits for a person after another amount is ended by the right amount alone", () => {
  const waiting = { ...live, status: "unknown", flags: ["amount_mismatch"] } as const;
  const others: FindAnswer[] = [
    page,
    { kind: "pending", gatewayId: "pi_1" },
    { kind: "failed", gatewayId: "pi_1", decline: "soft", reason: "x" },
    { kind: "cancelled", gatewayId: "pi_1" },
    { kind: "nothing" },
  ];
  for (const answer of others)
    expect(settlementOf({ ...waiting, flags: [...waiting.flags] }, answer)).toEqual({
      kind: "check",
    });
  expect(settlementOf({ ...waiting, flags: [...waiting.flags] }, paid)).toEqual({
    kind: "apply",
    status: "succeeded",
  });
});

test("after a success no answer changes the status", () => {
  const answers: FindAnswer[] = [
    paid,
    { kind: "failed", gatewayId: "", decline: "hard", reason: "x" },
    { kind: "cancelled", gatewayId: "" },
    { kind: "nothing" },
    { kind: "unknown", reason: "x" },
  ];
  for (const status of ["succeeded", "refunded", "disputed"] as const)
    for (const answer of answers)
      expect(
        settlementOf({ ...live, status, succeededAt: "2026-01-01T00:00:00.000000Z" }, answer),
      ).toEqual({ kind: "fee" });
});

test.each([
  ["a payment that had failed can still succeed", "failed", paid, "succeeded"],
  ["a payment that was cancelled can still succeed", "cancelled", paid, "succeeded"],
  ["a page is open again after a bank declined", "pending", page, "requires_action"],
] as const)("%s", (_promise, status, answer, next) => {
  expect(settlementOf({ ...live, status }, answer)).toEqual({ kind: "apply", status: next });
});

test.each([
  ["absence is no outcome", "submitting", { kind: "nothing" }],
  ["the same status is nothing new", "unknown", { kind: "unknown", reason: "x" }],
  ["a failed payment does not become pending", "failed", { kind: "pending", gatewayId: "x" }],
] as const)("%s", (_promise, status, answer) => {
  expect(settlementOf({ ...live, status }, answer)).toEqual({ kind: "check" });
});

test("a decline on a page that stays open is written once, and cleared with the next try", () => {
  const declined: FindAnswer = { ...page, declined: "Insufficient funds" };
  const applied = { kind: "apply", status: "requires_action" };
  expect(settlementOf(live, declined)).toEqual(applied);
  expect(settlementOf({ ...live, message: "Insufficient funds" }, declined)).toEqual({
    kind: "check",
  });
  expect(settlementOf({ ...live, message: "Insufficient funds" }, page)).toEqual(applied);
  expect(settlementOf(live, page)).toEqual({ kind: "check" });
  const message = "The payer did not finish this payment.";
  expect(settlementOf({ ...live, status: "cancelled", message }, declined)).toEqual({
    kind: "check",
  });
  expect(settlementOf({ ...live, message }, { kind: "nothing" })).toEqual({ kind: "check" });
});

test.each([
  { kind: "cancelled", gatewayId: "" },
  { kind: "failed", gatewayId: "", decline: "soft", reason: "x" },
] as const)("%o about an attempt that has a page meanwhile is old", (answer) => {
  expect(settlementOf(live, answer)).toMatchObject({ kind: "apply" });
  expect(settlementOf({ ...live, gatewayId: "pi_1" }, answer)).toEqual({ kind: "check" });
  expect(settlementOf({ ...live, gatewayId: "pi_1" }, { ...answer, gatewayId: "pi_1" })).toEqual({
    kind: "apply",
    status: answer.kind,
  });
});

test.each([
  ["pending", null],
  ["unknown", null],
  ["requires_action", "Insufficient funds"],
] as const)(
  "no other page replaces the one that the payer of a payment that is %s (%s) is on",
  (status, message) => {
    const payment = { ...live, status, message };
    expect(settlementOf({ ...payment, gatewayId: "pi_2" }, page)).toEqual({ kind: "check" });
    const applied = { kind: "apply", status: "requires_action" };
    expect(settlementOf({ ...payment, gatewayId: "pi_1" }, page)).toEqual(applied);
    expect(settlementOf(payment, page)).toEqual(applied);
  },
);
