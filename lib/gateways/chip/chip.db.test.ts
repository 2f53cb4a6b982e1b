import { describe, expect } from "vitest";
import { newId } from "@/lib/kernel/ids";
import { signed } from "@/tests/chip-peer/signing";
import { brandSuspended } from "@/tests/chip-peer/refused";
import { runningChip } from "@/tests/chip-peer/running";
import { gatewayContract } from "../contract";
import { type GatewayHarness, withHeader } from "../contract-harness";
import { withMemory } from "../contract-memory";
import type { Connection } from "../gateway";
import { chipGateway } from "./adapter";

const peer = runningChip();

const gateway = withMemory(chipGateway);
const bankOf = ({ secret }: Connection) => peer.bank(secret);
const idOf = (url: string) => new URL(url).pathname.split("/")[2] ?? "";
const operations = {
  begin: "POST /purchases/",
  charge: "POST /purchases/{id}/charge/",
  refund: "POST /purchases/{id}/refund/",
};

const harnessIn = (mode: "test" | "live"): GatewayHarness => ({
  gateway,
  scripted: true,
  lacks: ["list", "page_keys", "callback_times", "modes_in_keys"],
  afterDecline: "open",
  behaviours: ["works", "soft", "hard", "needs_payer", "pending"],
  connect: async () => {
    const { bank, secret } = peer.open(mode);
    const callbackSecret = bank.keys.publicPem;
    return { id: newId(), businessId: 1, mode, secret, callbackSecret, account: bank.brandId };
  },
  press: async (url, outcome) => {
    const pressed = outcome === "lose_answer" ? "approve" : outcome;
    const body = new URLSearchParams({ outcome: pressed });
    await fetch(url, { method: "POST", body, redirect: "manual" });
    if (outcome === "lose_answer") peer.lose("GET /purchases/{id}/", 2);
    expect(idOf(url)).toMatch(/^[0-9a-f-]{36}$/);
  },
  saveMethod: async (connection, behaviour) => bankOf(connection).saveMethod(behaviour),
  whileRestricted: async (_connection, work) => {
    peer.trouble = brandSuspended;
    return work().finally(() => {
      peer.trouble = null;
    });
  },
  loseAnswer: async (_connection, verb) => peer.lose(operations[verb]),
  nextRefund: async (connection, outcome) => {
    bankOf(connection).nextRefund = outcome;
  },
  settle: async (connection) => bankOf(connection).settle(),
  callbacks: async (connection) => {
    const { events, keys } = bankOf(connection);
    const sent = events.filter(({ type }) => type !== "purchase.created");
    return sent.map(({ body }) => ({
      raw: new TextEncoder().encode(body),
      headers: new Headers({ "x-signature": signed(body, keys) }),
    }));
  },
  signedAt: (connection, raw) => ({
    raw,
    headers: new Headers({ "x-signature": signed(raw, bankOf(connection).keys) }),
  }),
  withSignature: (sent, change) => withHeader(sent, "x-signature", change),
  refunds: true,
  books: async (connection, reference) => {
    const { purchases, refunds } = bankOf(connection);
    const own = purchases.filter((one) => one.reference === reference);
    return {
      taken: own.flatMap(({ payment }) => (payment ? [payment.amount] : [])),
      givenBack: refunds
        .filter(({ related_to }) => own.some(({ id }) => id === related_to.id))
        .map(({ payment }) => payment.amount),
    };
  },
});

describe.each(["test", "live"] as const)("in %s mode", (mode) => {
  gatewayContract(`chip, against a test server, in ${mode} mode`, harnessIn(mode));
});
