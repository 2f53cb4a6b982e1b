import { expect, test } from "vitest";
import { decideRelease, type Release } from "./decide";

const link = { subscriptionId: null };
const periodLink = { subscriptionId: "subscription" };

test.each<[string, Parameters<typeof decideRelease>, Release]>([
  ["a link that is not there", [undefined, undefined, true], { kind: "nothing" }],
  ["a link without an attempt", [link, undefined, false], { kind: "nothing" }],
  ["a link whose attempt has ended", [link, { status: "failed" }, false], { kind: "nothing" }],
  ["a payer at the gateway", [link, { status: "requires_action" }, false], { kind: "cancel" }],
  ["an attempt on its way there", [link, { status: "submitting" }, false], { kind: "cancel" }],
  ["a payment that is pending", [link, { status: "pending" }, false], { kind: "refuse" }],
  ["a payment without an answer", [link, { status: "unknown" }, false], { kind: "refuse" }],
  [
    "a period's link, unless asked",
    [periodLink, { status: "requires_action" }, false],
    { kind: "nothing" },
  ],
  [
    "a period's link, when asked",
    [periodLink, { status: "requires_action" }, true],
    { kind: "cancel" },
  ],
])("%s", (_promise, facts, release) => {
  expect(decideRelease(...facts)).toEqual(release);
});
