import { expect } from "vitest";
import { newId } from "@/lib/kernel/ids";
import { signed, type StripePeer } from "./peer";
import { accountRestricted } from "./refused";
import { type GatewayHarness, withHeader } from "@/lib/gateways/contract-harness";
import { payer } from "@/lib/gateways/contract-requests";
import type { BeginPayment, Connection } from "@/lib/gateways/gateway";
import { stripeGateway as gateway } from "@/lib/gateways/stripe/adapter";
import { attemptKey } from "@/lib/gateways/stripe/shapes";

/** A new connection to an account of its own at the peer. */
export const connect = async (): Promise<Connection> => ({
  id: newId(),
  businessId: 1,
  mode: "test",
  secret: `sk_test_${newId()}`,
  callbackSecret: `whsec_${newId()}`,
});

export const asked = (change: Partial<BeginPayment> = {}): BeginPayment => {
  const id = newId();
  return {
    key: id,
    reference: id,
    payer,
    title: "Annual dinner",
    amount: 1_000,
    currency: "MYR",
    returnUrl: "https://shop.example/r",
    cancelUrl: "https://shop.example/c",
    expiresAt: new Date(Date.now() + 1_800_000).toISOString(),
    ...change,
  };
};

/** The peer as the gateway contract needs it. */
export function stripeHarness(peer: StripePeer) {
  const bankOf = ({ secret }: Connection) => peer.bank(secret);
  const sessionId = (url: string) => url.split("/").at(-1) ?? "";
  const operations = {
    begin: "POST /v1/checkout/sessions",
    charge: "POST /v1/payment_intents",
    refund: "POST /v1/refunds",
  };
  const intentOf = (connection: Connection, reference: string) =>
    bankOf(connection).intents.find((intent) => intent.metadata[attemptKey] === reference);
  const headersOf = ({ callbackSecret }: Connection, body: string, at?: number) =>
    new Headers({ "stripe-signature": signed(body, callbackSecret ?? "", at) });

  const harness: GatewayHarness = {
    gateway,
    scripted: true,
    afterDecline: "open",
    behaviours: ["works", "soft", "hard", "needs_payer", "pending"],
    connect,
    press: async (url, outcome) => {
      const id = sessionId(url);
      await fetch(url, {
        method: "POST",
        body: new URLSearchParams({ outcome: outcome === "lose_answer" ? "approve" : outcome }),
        redirect: "manual",
      });
      if (outcome === "lose_answer") peer.lose("GET /v1/checkout/sessions/{session}", 2);
      expect(id).toMatch(/^cs_test_/);
    },
    saveMethod: async (connection, behaviour) => {
      const { id, customer } = bankOf(connection).saveMethod(behaviour);
      return `${customer}:${id}`;
    },
    changeMethod: async (connection, methodId, change) => {
      const method = bankOf(connection).method(methodId.split(":")[1] ?? "");
      if (change === "removal") bankOf(connection).detach(method);
      else bankOf(connection).updateCard(method, { exp_month: 9, exp_year: 2034 });
    },
    whileRestricted: async (_connection, work) => {
      peer.trouble = accountRestricted;
      return work().finally(() => {
        peer.trouble = null;
      });
    },
    loseAnswer: async (_connection, verb) => peer.lose(operations[verb]),
    nextRefund: async (connection, outcome) => {
      bankOf(connection).nextRefund = outcome;
    },
    settle: async (connection) => bankOf(connection).settle(),
    callbacks: async (connection) =>
      bankOf(connection).events.map(({ body }) => ({
        raw: new TextEncoder().encode(body),
        headers: headersOf(connection, body),
      })),
    signedAt: (connection, raw, at) => ({
      raw,
      headers: headersOf(connection, new TextDecoder().decode(raw), at),
    }),
    withSignature: (sent, change) => withHeader(sent, "stripe-signature", change),
    refunds: true,
    outside: {
      refund: async (connection, reference, amount) =>
        void bankOf(connection).refund(intentOf(connection, reference)?.id ?? "", amount, {}),
      dispute: async (connection, reference, outcome) => {
        const dispute = bankOf(connection).dispute(intentOf(connection, reference)?.id ?? "");
        if (outcome !== "open") bankOf(connection).closeDispute(dispute, outcome);
      },
    },
    books: async (connection, reference) => {
      const { intents, refunds } = bankOf(connection);
      const own = intents.filter((intent) => intent.metadata[attemptKey] === reference);
      return {
        taken: own.flatMap(({ attempts }) =>
          attempts.filter(({ paid }) => paid).map(({ amount }) => amount),
        ),
        givenBack: refunds
          .filter(
            ({ payment_intent, status }) =>
              status === "succeeded" && own.some(({ id }) => id === payment_intent),
          )
          .map(({ amount }) => amount)
          .reverse(),
      };
    },
  };
  return { harness, bankOf, intentOf, headersOf };
}
