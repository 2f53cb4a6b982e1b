import { expect, test } from "vitest";
import { PaymentLink } from "@/lib/contract/payment-links";
import { Subscription } from "@/lib/contract/subscriptions";
import { addressHint, cancelEffects, chargeHint, type Period, paymentUnderWay } from "./words";

const example = Subscription.parse(Subscription.meta()?.examples?.[0]);
const link = (status: Period["status"]): Period => ({
  ...PaymentLink.parse(PaymentLink.meta()?.examples?.[0]),
  status,
  period_start: "2027-01-31",
  period_end: "2027-02-27",
});

test.each<[string, Partial<Subscription>, boolean]>([
  ["is planned", { next_charge_at: "2027-01-30T16:00:00.000000Z" }, false],
  ["waits for its link", { payment_links: [link("Active")] }, false],
  ["is being charged without a link", {}, true],
  ["is being charged after its last link was paid", { payment_links: [link("Paid")] }, true],
  ["has a payment of its link in process", { payment_links: [link("Processing")] }, true],
  ["has ended", { status: "cancel" }, false],
])(
  "the dialogs before ending a subscription whose period %s name a payment under way only where there is one",
  (_period, values, underWay) => {
    const subscription = { ...example, next_charge_at: null, ...values };
    expect(paymentUnderWay(subscription)).toHaveLength(underWay ? 1 : 0);
    const effects = cancelEffects(subscription, "UTC").join(" ");
    expect(effects.includes("is not stopped, and may still arrive")).toBe(underWay);
    expect(effects.includes("does not happen")).toBe(subscription.next_charge_at !== null);
    expect(effects.includes("can no longer be paid")).toBe(
      subscription.payment_links.some(({ status }) => status === "Active"),
    );
  },
);

test("the question before cancelling names the day of the charge in the zone that it is given, wherever it is read", () => {
  const midnightInKualaLumpur = "2027-01-30T16:00:00.000000Z";
  const subscription = {
    ...example,
    next_charge_at: midnightInKualaLumpur,
  };
  const [inKualaLumpur] = cancelEffects(subscription, "Asia/Kuala_Lumpur");
  const [inNewYork] = cancelEffects(subscription, "America/New_York");
  expect(inKualaLumpur).toContain("planned for 31 Jan 2027");
  expect(inNewYork).toContain("planned for 30 Jan 2027");
});

test("the hint at the address promises only methods that are saved from now on, and names the unpaid link that moves", () => {
  expect(addressHint(example)).toBe(
    "Only a payment method that is saved under this address from now on is charged.",
  );
  expect(addressHint({ ...example, tokenization_id: "6740f4c38d2b5e6fa1c70935" })).toContain(
    "the payment method that is saved now is no longer charged",
  );
  expect(addressHint({ ...example, payment_links: [link("Active")] })).toContain(
    "The unpaid link moves to the new address.",
  );
});

test.each([null, undefined])(
  "who subscribes a payer whose saved method is %s reads that links are mailed only where mails go out",
  (card) => {
    expect(chargeHint(card)).toContain("is mailed for each period");
    const unsent = "This install has no mail server.";
    expect(chargeHint(card, unsent)).not.toContain("is mailed");
    expect(chargeHint(card, unsent)).toContain(unsent);
  },
);

test("the saved method that each period is charged to is named", () => {
  expect(chargeHint("Visa 4242", "This install has no mail server.")).toBe(
    "Each period is charged to Visa 4242, which this payer has saved.",
  );
});
