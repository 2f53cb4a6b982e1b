import { describe } from "vitest";
import { newId } from "@/lib/kernel/ids";
import { runningBillplz } from "@/tests/billplz-peer/running";
import { signedForm } from "@/tests/billplz-peer/signing";
import { gatewayContract } from "../contract";
import type { GatewayHarness, SentCallback } from "../contract-harness";
import { withMemory } from "../contract-memory";
import { readForm } from "../form-body";
import type { Connection } from "../gateway";
import { billplzGateway } from "./adapter";

const peer = runningBillplz();

const gateway = withMemory(billplzGateway);
const shopOf = ({ secret }: Connection) => peer.shop(secret);
const asForm = (body: string): SentCallback => ({
  raw: new TextEncoder().encode(body),
  headers: new Headers({ "content-type": "application/x-www-form-urlencoded" }),
});

const harnessIn = (mode: "test" | "live"): GatewayHarness => ({
  gateway,
  scripted: true,
  lacks: ["list", "page_keys", "callback_times", "modes_in_keys", "callback_references"],
  afterDecline: "open",
  paidWith: "fpx",
  behaviours: [],
  connect: async () => {
    const { shop, secret } = peer.open(mode);
    const { xSignatureKey: callbackSecret, collectionId: account } = shop;
    return { id: newId(), businessId: 1, mode, secret, callbackSecret, account };
  },
  press: async (url, outcome) => {
    const body = new URLSearchParams({ outcome: outcome === "lose_answer" ? "approve" : outcome });
    await fetch(url, { method: "POST", body, redirect: "manual" });
    if (outcome === "lose_answer") peer.lose("GET /v3/bills/{id}", 2);
  },
  saveMethod: async () => {
    throw new Error("Billplz saves no methods");
  },
  loseAnswer: async () => peer.lose("POST /v3/bills"),
  nextRefund: async () => undefined,
  settle: async (connection) => shopOf(connection).settle(),
  callbacks: async (connection) => shopOf(connection).sent.map(({ body }) => asForm(body)),
  signedAt: (connection, raw) => {
    const fields = Object.fromEntries(readForm(raw) ?? []);
    delete fields.x_signature;
    return asForm(signedForm(fields, shopOf(connection).xSignatureKey));
  },
  withSignature: ({ raw }, change) => {
    const fields = new URLSearchParams(new TextDecoder().decode(raw));
    const signature = change(fields.get("x_signature") ?? "");
    if (signature === "") fields.delete("x_signature");
    else fields.set("x_signature", signature);
    return asForm(fields.toString());
  },
  refunds: false,
  books: async (connection, reference) => ({
    taken: shopOf(connection)
      .bills.filter((bill) => bill.reference_2 === reference && bill.paid)
      .map(({ paid_amount }) => paid_amount),
    givenBack: [],
  }),
});

describe.each(["test", "live"] as const)("in %s mode", (mode) => {
  gatewayContract(`billplz, against a test server, in ${mode} mode`, harnessIn(mode));
});
