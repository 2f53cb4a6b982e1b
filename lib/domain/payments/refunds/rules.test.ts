import { expect, test } from "vitest";
import { paymentStatuses, refundStatuses } from "@/lib/contract/values";
import { canTransition, isOpen, isRefundable, statusAfterRefund, statusOf } from "./rules";

test("a refund is open until it succeeds or fails, and then stays", () => {
  expect(refundStatuses.filter(isOpen)).toEqual(
    refundStatuses.filter((one) => !["succeeded", "failed"].includes(one)),
  );
  for (const over of ["succeeded", "failed"] as const)
    for (const to of refundStatuses) expect(canTransition(over, to)).toBe(false);
  for (const open of ["submitting", "pending", "unknown"] as const)
    for (const over of ["succeeded", "failed"] as const)
      expect(canTransition(open, over)).toBe(true);
});

test("money goes back only of a success", () => {
  expect(paymentStatuses.filter(isRefundable)).toEqual(["succeeded", "partially_refunded"]);
});

test("absence is no outcome of a refund; any other answer is", () => {
  expect(statusOf({ kind: "nothing" })).toBeNull();
  expect(statusOf({ kind: "unknown", reason: "x" })).toBe("unknown");
});

test.each([
  ["succeeded", 0, "succeeded"],
  ["partially_refunded", 0, "succeeded"],
  ["succeeded", 1, "partially_refunded"],
  ["succeeded", 999, "partially_refunded"],
  ["succeeded", 1_000, "refunded"],
  ["disputed", 0, "disputed"],
  ["disputed", 1_000, "disputed"],
] as const)("a %s payment of 1000 with %i refunded is %s", (status, refunded, after) => {
  expect(statusAfterRefund(status, 1_000, refunded)).toBe(after);
});
