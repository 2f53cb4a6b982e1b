import { describe, expect, test } from "vitest";
import { newId } from "@/lib/kernel/ids";
import { simulatorGateway as gateway } from "./adapter";
import { payer, payment } from "../contract-requests";
import { press } from "./bank";
import { journalOf, saveScriptedMethod } from "./scripting";
import {
  chargeOf,
  connect,
  harness,
  openPage,
  pageOf,
  receiveCallbacks,
  settle,
  soon,
} from "./harness";

receiveCallbacks();

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
    expect(await harness.callbacks(connection)).toHaveLength(1);
  });

  test("no page is opened for live mode, broken amounts, currencies or addresses that are not for a browser", async () => {
    const connection = await connect();
    const request = {
      key: newId(),
      reference: newId(),
      payer,
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

  test("a reference names one page only, and the refused key stays free", async () => {
    const connection = await connect();
    const charge = chargeOf(await saveScriptedMethod(connection));
    expect((await gateway.charge(connection, charge)).kind).toBe("succeeded");
    const request = payment({ reference: charge.reference });
    expect((await gateway.beginPayment(connection, request)).kind).toBe("refused");
    expect((await gateway.beginPayment(connection, { ...request, reference: newId() })).kind).toBe(
      "redirect",
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
      payer,
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
