import { expect, test } from "vitest";
import {
  cancelPaymentLink,
  chargeToken,
  createPaymentLink,
  createRefund,
  deletePackage,
  deletePaymentLink,
  deleteSubscription,
  recordPayment,
  revokeTokenization,
} from "@/lib/contract/operations";
import { rolesFor } from "./roles";

const hint = rolesFor("owner").find(({ value }) => value === "staff")?.hint;

test.each([
  [createPaymentLink, /creates.* links/i],
  [cancelPaymentLink, /cancels.* links/i],
  [deletePaymentLink, /deletes links/i],
  [revokeTokenization, /cancels .*tokens/i],
  [deletePackage, /deletes .*packages/i],
  [deleteSubscription, /deletes .*subscriptions/i],
  [chargeToken, /charges saved methods/i],
  [recordPayment, /records payments/i],
] as const)("what an owner reads of staff names what they may do (case %#)", (operation, named) => {
  expect(operation.roles).toContain("staff");
  expect(hint).toMatch(named);
});

test("what an owner reads of staff says that they refund nothing, and they do not", () => {
  expect(createRefund.roles).not.toContain("staff");
  expect(hint).toContain("Can’t refund");
});
