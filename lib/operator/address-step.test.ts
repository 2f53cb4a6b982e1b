import { expect, test } from "vitest";
import { addressStep } from "./address-step";

test.each([
  ["billplz", true, true, "there is nothing to enter at Billplz; it calls back to:"],
  ["stripe", true, false, "there is nothing to enter at Stripe; it calls back to:"],
  ["stripe", false, false, "add a webhook endpoint with this address at Stripe:"],
  ["stripe", true, true, "add a webhook endpoint with this address at Stripe:"],
  [
    "chip",
    true,
    false,
    "for refunds and chargebacks made at CHIP, add a webhook with this address there:",
  ],
])(
  "the address of a new connection to %s comes with what to do with it (secret: %s, typed: %s)",
  (gateway, has_webhook_secret, typed, step) => {
    expect(addressStep({ gateway, has_webhook_secret }, typed)).toBe(step);
  },
);
