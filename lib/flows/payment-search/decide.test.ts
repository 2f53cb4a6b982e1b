import { expect, test } from "vitest";
import type { FindAnswer } from "@/lib/gateways/gateway";
import { decideFound, decideListed, type Facts, type Found, type Listed } from "./decide";

const reference = "0123456789abcdef01234567";
const connection = { businessId: 7, id: "account" };
const failed = { businessId: 7, connectionId: "account", status: "failed" } as const;

test.each<[string, Partial<Facts>, { reference?: string; pending?: boolean }, Listed]>([
  ["a name that is no id is another's", {}, { reference: "order-1" }, { kind: "foreign" }],
  [
    "one for a link of another business is that one's",
    { ofAnother: true },
    {},
    { kind: "foreign" },
  ],
  ["a payment that is not known is looked up", {}, {}, { kind: "look_up" }],
  ["a pending one too", {}, { pending: true }, { kind: "look_up" }],
  [
    "a charge under a test clock is left to it",
    { underClock: true },
    {},
    { kind: "left_to_clock" },
  ],
  [
    "a payment known as failed is looked up again",
    { payment: failed, underClock: true },
    {},
    { kind: "reconcile" },
  ],
  [
    "a payment known as cancelled is looked up again",
    { payment: { ...failed, status: "cancelled" } },
    {},
    { kind: "reconcile" },
  ],
  ["not while it is pending there", { payment: failed }, { pending: true }, { kind: "known" }],
  [
    "a payment that succeeded here is known",
    { payment: { ...failed, status: "succeeded" } },
    {},
    { kind: "known" },
  ],
  [
    "a payment of another connection is left alone",
    { payment: { ...failed, connectionId: "other" } },
    {},
    { kind: "known" },
  ],
  [
    "a payment of another business is left alone",
    { payment: { ...failed, businessId: 8 } },
    {},
    { kind: "known" },
  ],
])("%s", (_promise, facts, listed, decision) => {
  expect(
    decideListed(
      { reference, pending: false, ...listed },
      { connection, payment: undefined, underClock: false, ofAnother: false, ...facts },
    ),
  ).toEqual(decision);
});

const paid: FindAnswer = {
  kind: "succeeded",
  gatewayId: "pi_1",
  fee: 1,
  amount: 500,
  currency: "MYR",
};

test.each<[FindAnswer, Found]>([
  [paid, { kind: "adopt", answer: paid }],
  [{ kind: "failed", gatewayId: "pi_1", decline: "soft", reason: "no" }, { kind: "over" }],
  [{ kind: "cancelled", gatewayId: "pi_1" }, { kind: "over" }],
  [{ kind: "pending", gatewayId: "pi_1" }, { kind: "search_again" }],
  [{ kind: "nothing" }, { kind: "search_again" }],
  [{ kind: "unknown", reason: "timeout" }, { kind: "search_again" }],
])("the answer $kind about a payment since the backup", (answer, decision) => {
  expect(decideFound(answer)).toEqual(decision);
});
