import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";
import { closePool } from "@/db/client";
import { newId, newToken } from "@/lib/kernel/ids";
import { type GatewayHarness, type SentCallback, withHeader } from "../contract-harness";
import { payer } from "../contract-requests";
import type { Connection } from "../gateway";
import { simulatorGateway as gateway } from "./adapter";
import { press } from "./bank";
import { tick } from "./job";
import { hurry, journalOf, saveScriptedMethod, script } from "./scripting";
import { sign, signatureHeader } from "./signature";

export const received = new Map<string, SentCallback[]>();
export const answers = new Map<string, number[]>();

/** Where the callbacks go: keeps each as it came, and answers with the next status a test has put there, else 200. */
const receiver = createServer((request, response) => {
  const id = request.url?.split("/").at(-1) ?? "";
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const headers = new Headers(
      Object.entries(request.headers).map(([key, value]): [string, string] => [key, String(value)]),
    );
    received.set(id, [...(received.get(id) ?? []), { raw: Buffer.concat(chunks), headers }]);
    response.writeHead(answers.get(id)?.shift() ?? 200).end();
  });
});
export let baseUrl = "";

/** Callbacks are received from before the first test of a file until after its last, when the pool is closed too. */
export function receiveCallbacks(): void {
  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    baseUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
    await closePool();
  });
}

export const connect = async (): Promise<Connection> => ({
  id: newId(),
  businessId: 1,
  mode: "test",
  secret: newToken(),
});
export const pageOf = (url: string) => url.split("/").at(-1) ?? "";
export const pass = (connection: Connection) => tick(connection.id, baseUrl);

export async function settle(connection: Connection): Promise<void> {
  await hurry(connection.id);
  await pass(connection);
}

export const harness: GatewayHarness = {
  gateway,
  scripted: true,
  afterDecline: "failed",
  behaviours: ["works", "soft", "hard", "needs_payer", "pending"],
  connect,
  press: async (url, outcome) => void (await press(pageOf(url), outcome, 0)),
  saveMethod: (connection, behaviour) => {
    const named = {
      works: "works",
      soft: "declines",
      hard: "declines_hard",
      needs_payer: "needs_payer",
      pending: "pending",
    } as const;
    return saveScriptedMethod(connection, named[behaviour], behaviour === "soft" ? 1 : 0);
  },
  loseAnswer: (connection, verb) => script(connection.id, verb, "reset"),
  nextRefund: (connection, outcome) => script(connection.id, "refund", outcome),
  settle,
  callbacks: async (connection) => {
    await pass(connection);
    return received.get(connection.id) ?? [];
  },
  signedAt: (connection, raw, at) => ({
    raw,
    headers: new Headers({ [signatureHeader]: sign(connection.secret, raw, at) }),
  }),
  withSignature: (sent, change) => withHeader(sent, signatureHeader, change),
  refunds: true,
  books: async (connection, reference) => {
    const entries = await journalOf(connection.id, reference);
    const amounts = (type: string) =>
      entries.filter((entry) => entry.type === type).map((entry) => entry.amount);
    return { taken: amounts("charge"), givenBack: amounts("refund") };
  },
};

export const soon = () => new Date(Date.now() + 600_000).toISOString();

export async function openPage(
  connection: Connection,
  change: { amount?: number; expiresAt?: string } = {},
) {
  const reference = newId();
  const request = {
    key: `k${reference}`,
    reference,
    payer,
    title: "Tea",
    amount: 1_000,
    currency: "MYR",
    expiresAt: soon(),
  };
  const answer = await gateway.beginPayment(connection, {
    ...request,
    returnUrl: "https://shop.example/r",
    cancelUrl: "https://shop.example/c",
    ...change,
  });
  if (answer.kind !== "redirect") throw new Error(answer.kind);
  return { reference, page: pageOf(answer.url) };
}

export function chargeOf(methodId: string, amount = 1_000) {
  const id = newId();
  return { key: `k${id}`, reference: id, payer, title: "Tea", amount, currency: "MYR", methodId };
}
