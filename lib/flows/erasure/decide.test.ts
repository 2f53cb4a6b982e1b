import { expect, test } from "vitest";
import { paymentStatuses, refundStatuses } from "@/lib/contract/values";
import type { PayerRecords } from "@/lib/domain/payers/erasure-rows";
import { decide } from "./decide";

const none: PayerRecords = {
  links: [],
  subscriptions: [],
  methods: [],
  payments: [],
  refunds: [],
  customers: 0,
  staff: false,
};
const one = { id: "1", mode: "test" } as const;

test.each(paymentStatuses)("a payment that is %s", (status) => {
  const refused = ["submitting", "pending", "unknown", "disputed"].includes(status);
  expect(decide({ ...none, payments: [{ ...one, status, disputeStatus: null }] })).toMatchObject(
    refused
      ? { kind: "refuse", refusals: [{ object: "payment", _id: "1", mode: "test", status }] }
      : { kind: "erase" },
  );
});

test.each([
  [null, "refuse"],
  ["open", "refuse"],
  ["lost", "erase"],
] as const)("a disputed payment whose dispute is %s", (disputeStatus, kind) => {
  const payments = [{ ...one, status: "disputed" as const, disputeStatus }];
  expect(decide({ ...none, payments }).kind).toBe(kind);
});

test.each(refundStatuses)("a refund that is %s", (status) => {
  const refused = ["submitting", "pending", "unknown"].includes(status);
  expect(decide({ ...none, refunds: [{ ...one, status }] }).kind).toBe(
    refused ? "refuse" : "erase",
  );
});

test("what is live is cancelled or revoked, and what is over is left", () => {
  const link = { ...one, subscriptionId: null, openPaymentId: null, deleted: false };
  const method = { ...one, connectionId: null, methodId: null };
  const decision = decide({
    ...none,
    links: [
      { ...link, id: "active", status: "Active" },
      { ...link, id: "deleted", status: "Active", deleted: true },
      { ...link, id: "paid", status: "Paid" },
      { ...link, id: "period", status: "Active", subscriptionId: "s" },
      { ...link, id: "open", status: "Expired", openPaymentId: "p" },
    ],
    subscriptions: [
      { ...one, id: "live", status: "past_due", deleted: false },
      { ...one, id: "over", status: "cancel", deleted: false },
      { ...one, id: "deleted", status: "active", deleted: true },
    ],
    methods: [
      { ...method, id: "pending", status: "pending" },
      { ...method, id: "active", status: "active" },
      { ...method, id: "revoked", status: "revoked" },
    ],
  });
  if (decision.kind !== "erase") throw new Error("refused");
  const ids = (rows: ReadonlyArray<{ id: string }>) => rows.map(({ id }) => id);
  expect(ids(decision.links)).toEqual(["active"]);
  expect(ids(decision.open)).toEqual(["open"]);
  expect(ids(decision.subscriptions)).toEqual(["live"]);
  expect(ids(decision.methods)).toEqual(["pending", "active"]);
});
