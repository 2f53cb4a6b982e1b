import { expect, test, vi } from "vitest";
import { getSubscription, getTokenization } from "@/lib/contract/operations";
import { Subscription } from "@/lib/contract/subscriptions";
import { SeenTokenization } from "@/lib/contract/tokenizations";
import { answered, drawn, failed } from "@/tests/drawn";
import { SubscriptionDetail } from "./detail";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const token = SeenTokenization.parse(SeenTokenization.meta()?.examples?.[0]);
const subscription = {
  ...Subscription.parse(Subscription.meta()?.examples?.[0]),
  status: "active" as const,
  tokenization_id: token._id,
  test_clock_id: null,
};
const input = { params: { token: token._id } };

const nextChargeOf = (...answers: ReturnType<typeof failed>[]) => {
  const html = drawn(<SubscriptionDetail id={subscription._id} />, [
    answered(getSubscription, { params: { subscription_id: subscription._id } }, subscription),
    ...answers,
  ]);
  return /<section aria-label="Next charge".*?<\/section>/.exec(html)?.[0];
};
const promises = /Will be charged to|charged automatically/;

test("a subscription promises that its saved method is charged once that method is read and active", () => {
  const active = nextChargeOf(answered(getTokenization, input, { ...token, status: "active" }));
  expect(active).toContain("Will be charged to");
  expect(active).toContain("The next one is charged automatically.");
  expect(nextChargeOf()).not.toMatch(promises);
});

test("a subscription of which the saved method did not load says so and offers to try again", () => {
  const html = nextChargeOf(failed(getTokenization, input));
  expect(html).not.toMatch(promises);
  expect(html).toContain("The saved payment method did not load");
  expect(html).toContain(">Retry</button>");
});

test("a subscription of which the saved method was revoked says that each period has a payment link", () => {
  const html = nextChargeOf(answered(getTokenization, input, { ...token, status: "revoked" }));
  expect(html).not.toMatch(promises);
  expect(html).toContain("can no longer be charged: each period has a payment link");
});
