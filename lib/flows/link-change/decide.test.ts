import { expect, test } from "vitest";
import type { PaymentStatus } from "@/lib/contract/values";
import { decideRelease, type Release } from "./decide";

const link = { subscriptionId: null };
const periodLink = { subscriptionId: "subscription" };
const startedAt = "2026-01-01T12:00:00.000000Z";
const at = (status: PaymentStatus, tokenizationId: string | null = null) => ({
  status,
  tokenizationId,
  gatewayId: status === "submitting" ? null : "page",
  startedAt,
});

test.each<[string, Parameters<typeof decideRelease>, Release]>([
  ["a link that is not there", [undefined, undefined, true, null], { kind: "nothing" }],
  ["a link without an attempt", [link, undefined, false, null], { kind: "nothing" }],
  ["a link whose attempt has ended", [link, at("failed"), false, null], { kind: "nothing" }],
  ["a payer at the gateway", [link, at("requires_action"), false, null], { kind: "cancel" }],
  ["an attempt without a page yet", [link, at("submitting"), false, null], { kind: "end" }],
  [
    "one of a restored backup, which may lack its page",
    [link, at("submitting"), false, startedAt],
    { kind: "cancel" },
  ],
  [
    "one that began after the restore",
    [link, at("submitting"), false, "2026-01-01T11:59:59.000Z"],
    { kind: "end" },
  ],
  [
    "a charge of a saved method on its way there",
    [link, at("submitting", "token"), false, null],
    { kind: "cancel" },
  ],
  ["a payment that is pending", [link, at("pending"), false, null], { kind: "refuse" }],
  ["a payment without an answer", [link, at("unknown"), false, null], { kind: "refuse" }],
  [
    "a period's link, unless asked",
    [periodLink, at("requires_action"), false, null],
    { kind: "nothing" },
  ],
  [
    "a period's link, when asked",
    [periodLink, at("requires_action"), true, null],
    { kind: "cancel" },
  ],
])("%s", (_promise, facts, release) => {
  expect(decideRelease(...facts)).toEqual(release);
});
