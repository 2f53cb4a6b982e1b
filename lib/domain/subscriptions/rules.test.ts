import { expect, test } from "vitest";
import { subscriptionStatuses } from "@/lib/contract/values";
import { assertNotCancelled, isLive, sameAddress } from "./rules";

test("a subscription is live, and can be changed, until it is cancelled", () => {
  for (const status of subscriptionStatuses) {
    expect(isLive({ status })).toBe(status !== "cancel");
    const change = () => assertNotCancelled({ status });
    if (status === "cancel") expect(change).toThrow("is cancelled");
    else expect(change).not.toThrow();
  }
});

test("addresses are compared without case", () => {
  expect(sameAddress("Payer@Example.com", "payer@example.COM")).toBe(true);
  expect(sameAddress("payer@example.com", "payer@example.org")).toBe(false);
});
