import { replace } from "@/lib/flows/connecting/steps";
import { get } from "@/lib/flows/connecting/show";
import { sql } from "drizzle-orm";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { list as listCallbacks } from "@/lib/domain/callbacks/list";
import { receive } from "@/lib/flows/callback/steps";
import { create as refund } from "@/lib/flows/refund/steps";
import { resolve } from "@/lib/domain/payments/resolve";
import { findPayment } from "@/lib/domain/payments/rows";
import { newId } from "@/lib/kernel/ids";
import { signed } from "../stripe-peer/peer";
import { runningPeer } from "../stripe-peer/running";
import {
  atStripe,
  callBack,
  callbacksOf,
  eventsOf,
  ledgerOf,
  newStripeShop,
  paidAtStripe,
  paymentsOf,
  type StripeShop,
} from "./stripe-setting";
import { callbacks } from "@/lib/flows/callback/job";
import { runOnce } from "../run-once";

const peer = runningPeer();

afterAll(closePool);

const none = new URLSearchParams();

describe("Stripe's callbacks", () => {
  let shop: StripeShop;
  beforeEach(async () => {
    shop = await newStripeShop(peer);
  });

  test("callbacks alone settle a payment, in any order and with repeats", async () => {
    for (const turn of [0, 1, 2, 3, 4, 5]) {
      const { payment, session } = await atStripe(shop);
      const before = shop.bank.events.length;
      shop.bank.press(session, "approve");
      const sent = shop.bank.events.slice(before).map(({ body }) => body);
      const order =
        [
          [0, 1, 2],
          [0, 2, 1],
          [1, 0, 2],
          [1, 2, 0],
          [2, 0, 1],
          [2, 1, 0],
        ][turn]?.map((index) => sent[index] ?? "") ?? [];
      expect(order).toHaveLength(3);
      await Promise.all([...order, ...order].map((body) => callBack(shop, body)));
      expect((await findPayment(shop.ctx, payment.id))?.status).toBe("succeeded");
    }
    expect(await eventsOf(shop, "payment.succeeded")).toBe(6);
    expect((await ledgerOf(shop)).sales).toBe(-6 * 1_250);
    expect((await callbacksOf(shop)).every(({ state }) => state === "done")).toBe(true);
  });

  test("the end of a dispute is no problem while a later one of the payment is open", async () => {
    const { gatewayId, id } = await paidAtStripe(shop);
    const before = shop.bank.events.length;
    shop.bank.closeDispute(shop.bank.dispute(gatewayId ?? ""), "won");
    const sent = Object.groupBy(shop.bank.events.slice(before), ({ type }) =>
      type === "charge.dispute.closed" ? "last" : "first",
    );
    for (const { body } of sent.first ?? []) await callBack(shop, body);
    shop.bank.dispute(gatewayId ?? "");
    for (const { body } of sent.last ?? []) await callBack(shop, body);
    expect((await callbacksOf(shop)).map(({ state }) => state)).toEqual(Array(4).fill("done"));
    expect(await findPayment(shop.ctx, id)).toMatchObject({
      status: "disputed",
      disputeStatus: "open",
    });
  });

  test("a callback that comes before its payment is stored waits for it", async () => {
    const { payment, session } = await atStripe(shop);
    await db.execute(sql`update payments set connection_id = null where id = ${payment.id}`);
    shop.bank.press(session, "approve");
    const body = shop.bank.events.at(-1)?.body ?? "";
    await callBack(shop, body);
    expect((await callbacksOf(shop))[0]?.state).toBe("unmatched");
    await db.execute(
      sql`update payments set connection_id = ${shop.connectionId} where id = ${payment.id}`,
    );
    await db.execute(
      sql`update gateway_events set next_try_at = now() where connection_id = ${shop.connectionId}`,
    );
    await runOnce(callbacks, shop.ctx.businessId);
    expect((await callbacksOf(shop))[0]?.state).toBe("done");
    expect((await findPayment(shop.ctx, payment.id))?.status).toBe("succeeded");
  });

  test("forged, stale and unsigned callbacks are refused and not stored; so is any callback without a secret", async () => {
    const { session } = await atStripe(shop);
    shop.bank.press(session, "approve");
    const body = shop.bank.events.at(-1)?.body ?? "";
    const raw = new TextEncoder().encode(body);
    const send = (header: string | null, bytes = raw, id = shop.connectionId) =>
      receive(
        "stripe",
        id,
        bytes,
        new Headers(header === null ? {} : { "stripe-signature": header }),
        "stripe-test",
      );
    const good = signed(body, shop.webhookSecret);
    for (const header of [
      null,
      "",
      "t=1,v1=00",
      signed(body, "whsec_wrong"),
      signed(body, ""),
      signed(body, shop.webhookSecret, Date.now() - 301_000),
      signed(body, shop.webhookSecret, Date.now() + 400_000),
    ]) {
      await expect(send(header)).rejects.toMatchObject({ status: 400 });
    }
    await expect(
      send(good, new TextEncoder().encode(body.replace("1250", "9250"))),
    ).rejects.toMatchObject({ status: 400 });
    await expect(send(good, raw, newId())).rejects.toMatchObject({ status: 404 });
    await replace(shop.ctx, shop.connectionId, { webhook_secret: null });
    await expect(send(good)).rejects.toMatchObject({ status: 400 });
    expect(await callbacksOf(shop)).toEqual([]);
  });

  test.each([
    ["the other mode", (event: Event) => ({ ...event, livemode: true }), /live mode/],
    ["another account", (event: Event) => ({ ...event, account: "acct_other" }), /another account/],
    [
      "another amount",
      (event: Event) => withObject(event, { amount: 9_999 }),
      /MYR 99\.99;.* MYR 12\.50/,
    ],
    ["another currency", (event: Event) => withObject(event, { currency: "usd" }), /USD/],
  ])("a callback of %s is quarantined, listed, and books nothing", async (_name, change, words) => {
    const { payment, session } = await atStripe(shop);
    const [first] = [shop.bank.press(session, "approve_later")];
    expect(first.status).toBe("complete");
    const told = JSON.parse(shop.bank.events.at(-1)?.body ?? "") as Event;
    const success = {
      ...told,
      id: `evt_${newId()}`,
      type: "payment_intent.succeeded",
      data: {
        object: {
          ...shop.bank.intents[0],
          attempts: undefined,
          latest_charge: null,
          status: "succeeded",
        },
      },
    };
    await callBack(shop, JSON.stringify(change(success as unknown as Event)));
    expect((await findPayment(shop.ctx, payment.id))?.succeededAt).toBeNull();
    const shown = await listCallbacks(shop.ctx, shop.connectionId, { status: "quarantined" }, none);
    expect(shown.data).toEqual([
      expect.objectContaining({ status: "quarantined", problem: expect.stringMatching(words) }),
    ]);
    expect((await get(shop.ctx, shop.connectionId)).quarantined).toBe(1);
    expect(await ledgerOf(shop)).toEqual({});
  });

  test("a payment for which Stripe reports another amount never counts as paid", async () => {
    const { payment, session } = await atStripe(shop);
    shop.bank.press(session, "approve");
    const intent = shop.bank.intents[0];
    if (intent) intent.amount_received = 1;
    await callBack(shop, shop.bank.events.at(-1)?.body ?? "");
    expect(await findPayment(shop.ctx, payment.id)).toMatchObject({
      status: "unknown",
      flags: ["amount_mismatch"],
      succeededAt: null,
    });
    expect(await ledgerOf(shop)).toEqual({});
  });

  test("a callback of another amount is set aside until staff resolve the payment, one that comes later stays", async () => {
    const { payment, session } = await atStripe(shop);
    shop.bank.press(session, "approve");
    const [intent] = shop.bank.intents;
    if (intent) intent.amount_received = 1_249;
    const told = JSON.parse(
      shop.bank.events.find(({ body }) => body.includes('"payment_intent.succeeded"'))?.body ?? "",
    ) as Event;
    const say = (amount: number) =>
      callBack(
        shop,
        JSON.stringify({
          ...withObject(told, { amount, amount_received: amount }),
          id: `evt_${newId()}`,
        }),
      );
    const aside = async () => {
      await runOnce(callbacks, shop.ctx.businessId);
      return (await get(shop.ctx, shop.connectionId)).quarantined;
    };
    await say(1_249);
    expect(await aside()).toBe(1);
    await resolve(shop.ctx, payment.id, {});
    expect(await aside()).toBe(0);
    await say(1_248);
    expect(await aside()).toBe(1);
  });

  test("a refund made at Stripe is booked here once", async () => {
    const payment = await paidAtStripe(shop, 2_000);
    const before = shop.bank.events.length;
    shop.bank.refund(payment.gatewayId ?? "", 600, {});
    const sent = shop.bank.events.slice(before).map(({ body }) => body);
    expect(sent.length).toBeGreaterThan(1);
    await Promise.all([...sent, ...sent].map((body) => callBack(shop, body)));
    expect(await findPayment(shop.ctx, payment.id)).toMatchObject({
      status: "partially_refunded",
      refundedAmount: 600,
    });
    expect((await ledgerOf(shop)).refunds).toBe(600);
    await refund(shop.ctx, payment.id, {});
    expect(await findPayment(shop.ctx, payment.id)).toMatchObject({
      status: "refunded",
      refundedAmount: 2_000,
    });
    for (const { body } of shop.bank.events) await callBack(shop, body);
    expect((await ledgerOf(shop)).refunds).toBe(2_000);
  });

  test.each(["won", "lost"] as const)(
    "a dispute is recorded here, and that it was %s",
    async (outcome) => {
      const payment = await paidAtStripe(shop);
      const dispute = shop.bank.dispute(payment.gatewayId ?? "");
      await callBack(shop, shop.bank.events.at(-1)?.body ?? "");
      expect(await findPayment(shop.ctx, payment.id)).toMatchObject({
        status: "disputed",
        message: expect.stringContaining("fraudulent"),
      });
      await expect(refund(shop.ctx, payment.id, {})).rejects.toMatchObject({ status: 409 });
      shop.bank.closeDispute(dispute, outcome);
      for (let times = 0; times < 2; times++)
        await callBack(shop, shop.bank.events.at(-1)?.body ?? "");
      expect(await findPayment(shop.ctx, payment.id)).toMatchObject(
        outcome === "won"
          ? { status: "succeeded", message: null }
          : { status: "disputed", message: expect.stringContaining("kept the money") },
      );
      expect(await eventsOf(shop, "payment.disputed")).toBe(2);
    },
  );

  test("charges that other programs make with the same account create no payments here", async () => {
    const foreign = shop.bank.charge({
      amount: 700,
      currency: "myr",
      customer: shop.bank.saveMethod("works", "cus_x").customer,
      method: shop.bank.methods[0]?.id ?? "",
      metadata: {},
      description: "Elsewhere",
      offSession: "true",
    });
    for (const { body } of shop.bank.events) await callBack(shop, body);
    expect(foreign.status).toBe("succeeded");
    expect(await paymentsOf(shop)).toEqual([]);
  });
});

type Event = { data: { object: Record<string, unknown> } };
const withObject = (event: Event, change: Record<string, unknown>): Event => ({
  ...event,
  data: { object: { ...event.data.object, ...change } },
});
