import Stripe from "stripe";
import { describe } from "vitest";
import { gatewayContract } from "@/lib/gateways/contract";
import type { GatewayHarness, SavedBehaviour } from "@/lib/gateways/contract-harness";
import type { Connection } from "@/lib/gateways/gateway";
import { stripeGateway as gateway } from "@/lib/gateways/stripe/adapter";
import { apiVersion } from "@/lib/gateways/stripe/client";
import { lookUp } from "@/lib/gateways/stripe/lookup";
import { newId } from "@/lib/kernel/ids";

// Runs the gateway's contract against Stripe itself, with STRIPE_TEST_KEY=sk_test_…. Tests that need a payer or a lost response run
// against the test server only.

const secret = process.env.STRIPE_TEST_KEY ?? "";
if (secret)
  console.info(
    "STRIPE_TEST_KEY is set: the gateway's contract runs against Stripe itself, in test mode.",
  );
if (secret && !/^(sk|rk)_test_/.test(secret))
  throw new Error("STRIPE_TEST_KEY must be a key of test mode.");

const cards: Partial<Record<SavedBehaviour, string>> = {
  works: "pm_card_visa",
  soft: "pm_card_chargeCustomerFail",
  needs_payer: "pm_card_authenticationRequired",
};

function harnessAtStripe(stripe: Stripe): GatewayHarness {
  const unscripted = async () => {
    throw new Error("Stripe itself cannot be made to do this");
  };
  const intentOf = async (connection: Connection, reference: string) => {
    const looked = await lookUp(connection, reference);
    if (looked.kind !== "found") return undefined;
    return "intent" in looked.found ? looked.found.intent.id : undefined;
  };
  return {
    gateway,
    scripted: false,
    afterDecline: "open",
    behaviours: ["works", "soft", "needs_payer"],
    connect: async () => ({ id: newId(), businessId: 1, mode: "test", secret }),
    press: unscripted,
    saveMethod: async (_connection, behaviour) => {
      const customer = await stripe.customers.create({ description: "Kutip's tests" });
      const method = await stripe.paymentMethods.attach(cards[behaviour] ?? "pm_card_visa", {
        customer: customer.id,
      });
      return `${customer.id}:${method.id}`;
    },
    loseAnswer: unscripted,
    nextRefund: unscripted,
    settle: unscripted,
    callbacks: unscripted,
    signedAt: (_connection, raw) => ({ raw, headers: new Headers() }),
    withSignature: (sent) => sent,
    refunds: true,
    books: async (connection, reference) => {
      const payment_intent = await intentOf(connection, reference);
      if (!payment_intent) return { taken: [], givenBack: [] };
      const [charges, refunds] = [
        await stripe.charges.list({ payment_intent }),
        await stripe.refunds.list({ payment_intent }),
      ];
      return {
        taken: charges.data.filter(({ paid }) => paid).map(({ amount }) => amount),
        givenBack: refunds.data
          .filter(({ status }) => status === "succeeded")
          .map(({ amount }) => amount)
          .reverse(),
      };
    },
  };
}

describe.runIf(secret)("Stripe itself", () =>
  gatewayContract("stripe", harnessAtStripe(new Stripe(secret || "sk_test_none", { apiVersion }))),
);
