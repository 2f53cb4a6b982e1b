import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool, withTransaction } from "@/db/client";
import { newId, newToken } from "@/lib/kernel/ids";
import { gatewayContract } from "../contract";
import type { GatewayHarness, SentCallback } from "../contract-harness";
import type { Connection } from "../gateway";
import { gatewayFor } from "../registry";
import { simulatorGateway as gateway } from "./adapter";
import { press } from "./bank";
import { deliverCallbacks, tick } from "./clockwork";
import {
  hurry,
  journalOf,
  resendCallbacks,
  saveScriptedMethod,
  script,
  setMethodBehaviour,
  setTimes,
} from "./scripting";
import { sign, signatureHeader } from "./signature";

const received = new Map<string, SentCallback[]>();
const answers = new Map<string, number[]>();

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
let baseUrl = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});

afterAll(async () => {
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
  await closePool();
});

const connect = async (): Promise<Connection> => ({
  id: newId(),
  businessId: 1,
  mode: "test",
  secret: newToken(),
});
const pageOf = (url: string) => url.split("/").at(-1) ?? "";
const pass = (connection: Connection) => tick({ connectionId: connection.id, baseUrl });

async function settle(connection: Connection): Promise<void> {
  await hurry(connection.id);
  await pass(connection);
}

const harness: GatewayHarness = {
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
  signedAt: (connection, raw, at) =>
    new Headers({ [signatureHeader]: sign(connection.secret, raw, at) }),
  books: async (connection, reference) => {
    const entries = await journalOf(connection.id, reference);
    const amounts = (type: string) =>
      entries.filter((entry) => entry.type === type).map((entry) => entry.amount);
    return { taken: amounts("charge"), givenBack: amounts("refund") };
  },
};

gatewayContract("simulator", harness);

const soon = () => new Date(Date.now() + 600_000).toISOString();

async function openPage(
  connection: Connection,
  change: { amount?: number; expiresAt?: string } = {},
) {
  const reference = newId();
  const request = {
    key: `k${reference}`,
    reference,
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

function chargeOf(methodId: string, amount = 1_000) {
  const id = newId();
  return { key: `k${id}`, reference: id, title: "Tea", amount, currency: "MYR", methodId };
}

describe("pressing at the same time", () => {
  test("32 presses of one button make one charge", async () => {
    const connection = await connect();
    const { reference, page } = await openPage(connection);
    const pressed = await Promise.all(Array.from({ length: 32 }, () => press(page, "approve", 0)));
    expect(pressed.every((session) => session?.state === "succeeded")).toBe(true);
    expect(await journalOf(connection.id, reference)).toHaveLength(1);
  });

  test("different buttons in many tabs: one of them counts, for every tab", async () => {
    const connection = await connect();
    const { reference, page } = await openPage(connection);
    const buttons = [
      "approve",
      "decline",
      "cancel",
      "approve_later",
      "lose_answer",
      "decline_hard",
    ] as const;
    const pressed = await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        press(page, buttons[index % buttons.length] ?? "approve", 0),
      ),
    );
    expect(new Set(pressed.map((session) => JSON.stringify(session))).size).toBe(1);
    await settle(connection);
    expect((await journalOf(connection.id, reference)).length).toBeLessThanOrEqual(1);
  });

  test("approve against cancel: either money was taken or it was cancelled, never both", async () => {
    const connection = await connect();
    const pages = await Promise.all(Array.from({ length: 12 }, () => openPage(connection)));
    for (const { reference, page } of pages) {
      const [cancelled] = await Promise.all([
        gateway.cancel(connection, reference),
        press(page, "approve", 0),
      ]);
      const taken = (await journalOf(connection.id, reference)).length;
      expect([cancelled.kind, taken]).toEqual(
        cancelled.kind === "cancelled" ? ["cancelled", 0] : ["too_late", 1],
      );
    }
  });

  test("32 charges under one key make one journal row", async () => {
    const connection = await connect();
    const charge = chargeOf(await saveScriptedMethod(connection));
    const made = await Promise.all(
      Array.from({ length: 32 }, () => gateway.charge(connection, charge)),
    );
    expect(new Set(made.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await journalOf(connection.id, charge.reference)).toHaveLength(1);
  });

  test("declines are counted exactly under parallel charges", async () => {
    const connection = await connect();
    const methodId = await saveScriptedMethod(connection, "declines", 5);
    const made = await Promise.all(
      Array.from({ length: 16 }, () => gateway.charge(connection, chargeOf(methodId))),
    );
    expect(made.filter((answer) => answer.kind === "failed")).toHaveLength(5);
    expect(made.filter((answer) => answer.kind === "succeeded")).toHaveLength(11);
  });
});

describe("the hosted page's time", () => {
  test("a page past its time takes no money, is found cancelled, and says so by callback", async () => {
    const connection = await connect();
    const { reference, page } = await openPage(connection, {
      expiresAt: new Date(Date.now() - 1_000).toISOString(),
    });
    expect((await press(page, "approve", 0))?.state).toBe("expired");
    expect((await gateway.find(connection, reference)).kind).toBe("cancelled");
    expect(await gateway.cancel(connection, reference)).toEqual({ kind: "cancelled" });
    expect(await journalOf(connection.id)).toEqual([]);
    expect((await harness.callbacks(connection)).length).toBe(1);
  });

  test("a forgotten page is closed by the clockwork", async () => {
    const connection = await connect();
    await openPage(connection, { expiresAt: new Date(Date.now() - 1_000).toISOString() });
    expect(await pass(connection)).toMatchObject({ expired: 1, delivered: 1 });
  });

  test("no page is opened for live mode, broken amounts, currencies or addresses that are not for a browser", async () => {
    const connection = await connect();
    const request = {
      key: newId(),
      reference: newId(),
      title: "Tea",
      amount: 1_000,
      currency: "MYR",
      expiresAt: soon(),
      returnUrl: "https://shop.example/",
      cancelUrl: "https://shop.example/",
    };
    expect((await gateway.beginPayment({ ...connection, mode: "live" }, request)).kind).toBe(
      "refused",
    );
    expect((await gateway.beginPayment(connection, { ...request, amount: 0 })).kind).toBe(
      "refused",
    );
    expect((await gateway.beginPayment(connection, { ...request, amount: 1.5 })).kind).toBe(
      "refused",
    );
    expect((await gateway.beginPayment(connection, { ...request, currency: "XXX" })).kind).toBe(
      "refused",
    );
    expect(
      (await gateway.beginPayment(connection, { ...request, returnUrl: "javascript:alert(1)" }))
        .kind,
    ).toBe("refused");
    expect((await gateway.find(connection, request.reference)).kind).toBe("nothing");
  });

  test("a reference stands for one attempt only, and the refused key stays free", async () => {
    const connection = await connect();
    const { reference } = await openPage(connection);
    const charge = { ...chargeOf(await saveScriptedMethod(connection)), reference };
    expect((await gateway.charge(connection, charge)).kind).toBe("unknown");
    expect((await gateway.charge(connection, { ...charge, reference: newId() })).kind).toBe(
      "succeeded",
    );
  });
});

describe("saving with later trouble", () => {
  async function saved(outcome: "approve_declines" | "approve_expires", declines: number) {
    const connection = await connect();
    const reference = newId();
    const request = {
      key: `k${reference}`,
      reference,
      title: "Save",
      expiresAt: soon(),
      returnUrl: "https://shop.example/r",
      cancelUrl: "https://shop.example/c",
    };
    const answer = await gateway.saveMethod(connection, request);
    if (answer.kind !== "redirect") throw new Error(answer.kind);
    await press(pageOf(answer.url), outcome, declines);
    const found = await gateway.find(connection, reference);
    if (found.kind !== "saved") throw new Error(found.kind);
    return { connection, method: found.method };
  }

  test("declines so often, then works", async () => {
    const { connection, method } = await saved("approve_declines", 2);
    const kinds: string[] = [];
    for (let count = 0; count < 3; count++)
      kinds.push((await gateway.charge(connection, chargeOf(method.id))).kind);
    expect(kinds).toEqual(["failed", "failed", "succeeded"]);
  });

  test("an expired card is declined for good", async () => {
    const { connection, method } = await saved("approve_expires", 0);
    expect(await gateway.charge(connection, chargeOf(method.id))).toMatchObject({
      kind: "failed",
      decline: "hard",
      reason: "The card has expired.",
    });
  });
});

describe("answers that are late, lost or wrong", () => {
  test("a method that never answers: unknown within the limit, no callback, and the money found", async () => {
    const connection = await connect();
    await setTimes(connection, { answerLimitMs: 30 });
    const charge = chargeOf(await saveScriptedMethod(connection, "never"));
    expect(await gateway.charge(connection, charge)).toEqual({
      kind: "unknown",
      reason: "The gateway did not answer in time.",
    });
    expect(await harness.callbacks(connection)).toEqual([]);
    expect((await gateway.find(connection, charge.reference)).kind).toBe("succeeded");
    expect((await gateway.charge(connection, charge)).kind).toBe("succeeded");
  });

  test("a late answer comes when there is time for it, and is unknown when there is not", async () => {
    const connection = await connect();
    const methodId = await saveScriptedMethod(connection);
    await setMethodBehaviour(connection.id, methodId, "late", { lateMs: 20 });
    expect((await gateway.charge(connection, chargeOf(methodId))).kind).toBe("succeeded");
    await setTimes(connection, { answerLimitMs: 10 });
    expect((await gateway.charge(connection, chargeOf(methodId))).kind).toBe("unknown");
  });

  test("a 5xx does nothing; a break after the work leaves it done; scripts run out", async () => {
    const connection = await connect();
    const methodId = await saveScriptedMethod(connection);
    await script(connection.id, "charge", "error", { times: 2 });
    const charge = chargeOf(methodId);
    expect((await gateway.charge(connection, charge)).kind).toBe("unknown");
    expect((await gateway.charge(connection, charge)).kind).toBe("unknown");
    expect(await gateway.find(connection, charge.reference)).toEqual({ kind: "nothing" });
    expect((await gateway.charge(connection, charge)).kind).toBe("succeeded");
    await setTimes(connection, { answerLimitMs: 20 });
    await script(connection.id, "charge", "hang");
    const hung = chargeOf(methodId);
    expect((await gateway.charge(connection, hung)).kind).toBe("unknown");
    expect(await journalOf(connection.id, hung.reference)).toHaveLength(1);
  });

  test("a script for one reference leaves the others alone", async () => {
    const connection = await connect();
    const [first, second] = [await openPage(connection), await openPage(connection)];
    await script(connection.id, "find", "error", { reference: first.reference });
    expect((await gateway.find(connection, second.reference)).kind).toBe("open");
    expect((await gateway.find(connection, first.reference)).kind).toBe("unknown");
    expect((await gateway.find(connection, first.reference)).kind).toBe("open");
  });

  test("a wrong amount or currency is told though the journal is right", async () => {
    const connection = await connect();
    const { reference, page } = await openPage(connection);
    await press(page, "approve", 0);
    await script(connection.id, "find", "wrong_amount");
    expect(await gateway.find(connection, reference)).toMatchObject({
      kind: "succeeded",
      amount: 1_001,
      currency: "MYR",
    });
    await script(connection.id, "find", "wrong_currency");
    expect(await gateway.find(connection, reference)).toMatchObject({
      kind: "succeeded",
      amount: 1_000,
      currency: "XAF",
    });
    expect(await gateway.find(connection, reference)).toMatchObject({
      kind: "succeeded",
      amount: 1_000,
      currency: "MYR",
      fee: 20,
    });
    expect(await journalOf(connection.id)).toMatchObject([
      { amount: 1_000, currency: "MYR", fee: 20 },
    ]);
  });

  test("a lost answer sends no callback and is unknown for two look-ups", async () => {
    const connection = await connect();
    const { reference, page } = await openPage(connection);
    await press(page, "lose_answer", 0);
    expect(await harness.callbacks(connection)).toEqual([]);
    const kinds: string[] = [];
    for (let count = 0; count < 3; count++)
      kinds.push((await gateway.find(connection, reference)).kind);
    expect(kinds).toEqual(["unknown", "unknown", "succeeded"]);
  });
});

describe("callbacks", () => {
  test("one that is not accepted is sent again, the same bytes under a new signature, until it is", async () => {
    const connection = await connect();
    answers.set(connection.id, [503, 302]);
    const { page } = await openPage(connection);
    await press(page, "approve", 0);
    const reports: number[] = [];
    for (let count = 0; count < 4; count++) {
      reports.push((await pass(connection)).delivered);
      await hurry(connection.id);
    }
    expect(reports).toEqual([0, 0, 1, 0]);
    const sent = received.get(connection.id) ?? [];
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ raw }) => Buffer.from(raw).toString())).size).toBe(1);
    for (const { raw, headers } of sent)
      expect(await gateway.verifyCallback(connection, raw, headers)).not.toBeNull();
  });

  test("several clockworks at once settle a payment once and send each callback once", async () => {
    const connection = await connect();
    for (let count = 0; count < 10; count++)
      await press((await openPage(connection)).page, "approve_later", 0);
    await hurry(connection.id);
    await Promise.all(Array.from({ length: 6 }, () => pass(connection)));
    await pass(connection);
    expect(await journalOf(connection.id)).toHaveLength(10);
    const sent = await Promise.all(
      (received.get(connection.id) ?? []).map(({ raw, headers }) =>
        gateway.verifyCallback(connection, raw, headers),
      ),
    );
    expect(sent).toHaveLength(20);
    expect(new Set(sent.map((callback) => callback?.eventId)).size).toBe(20);
  });

  test("senders at once share what is due: each callback is sent once", async () => {
    const connection = await connect();
    for (let count = 0; count < 10; count++)
      await press((await openPage(connection)).page, "approve", 0);
    const reports = await Promise.all(
      Array.from({ length: 8 }, () => deliverCallbacks({ connectionId: connection.id, baseUrl })),
    );
    expect(reports.reduce((sum, report) => sum + report.delivered, 0)).toBe(10);
    expect(received.get(connection.id)).toHaveLength(10);
  });

  test("they can be dropped, delayed and repeated on purpose", async () => {
    const connection = await connect();
    const { reference, page } = await openPage(connection);
    await script(connection.id, "callback", "drop", { reference });
    await press(page, "approve", 0);
    expect(await harness.callbacks(connection)).toEqual([]);
    const other = await openPage(connection);
    await script(connection.id, "callback", "late", { delayMs: 60_000 });
    await press(other.page, "approve", 0);
    expect(await harness.callbacks(connection)).toEqual([]);
    await hurry(connection.id);
    expect(await harness.callbacks(connection)).toHaveLength(1);
    expect(await resendCallbacks(connection.id, other.reference)).toBe(1);
    expect(await harness.callbacks(connection)).toHaveLength(2);
  });

  test("after the secret is changed they are signed with the new one", async () => {
    const connection = await connect();
    const { page } = await openPage(connection);
    const changed = { ...connection, secret: newToken() };
    await gateway.find(changed, newId());
    await press(page, "approve", 0);
    const sent = (await harness.callbacks(connection))[0];
    expect(sent && (await gateway.verifyCallback(changed, sent.raw, sent.headers))).not.toBeNull();
    expect(sent && (await gateway.verifyCallback(connection, sent.raw, sent.headers))).toBeNull();
  });
});

describe("the house rules", () => {
  test("nothing is asked of it with a transaction open", async () => {
    const connection = await connect();
    await expect(withTransaction(() => gateway.find(connection, newId()))).rejects.toThrow(
      "inside a transaction",
    );
    await expect(withTransaction(() => pass(connection))).rejects.toThrow("inside");
  });

  test("it is registered under its name, and no other is", () => {
    expect(gatewayFor("simulator")).toBe(gateway);
    expect(gatewayFor("constructor")).toBeUndefined();
  });
});
