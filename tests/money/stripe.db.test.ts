import { sql } from "drizzle-orm";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import type { BulkReport } from "@/lib/contract/bulk";
import { createKey } from "@/lib/domain/api-keys/create";
import { hasGateway } from "@/lib/domain/api-keys/rows";
import { lineFor } from "@/lib/domain/businesses/line";
import {
  callbacks,
  connect,
  get,
  list,
  replace,
  revoke,
} from "@/lib/domain/gateway-connections/manage";
import { create as createPackage } from "@/lib/domain/packages/create";
import { update as updatePackage } from "@/lib/domain/packages/update";
import { create } from "@/lib/domain/payment-links/create";
import { receive, workCallbacks } from "@/lib/domain/payments/callback";
import { reconcile } from "@/lib/domain/payments/reconcile";
import { create as refund } from "@/lib/domain/payments/refunds/create";
import { list as refunds } from "@/lib/domain/payments/refunds/list";
import { findPayment } from "@/lib/domain/payments/rows";
import { create as subscribe } from "@/lib/domain/subscriptions/create";
import { newId } from "@/lib/kernel/ids";
import { api } from "../contract/setting";
import { signed } from "../stripe-peer/peer";
import { runningPeer } from "../stripe-peer/running";
import { feeOf } from "../stripe-peer/objects";
import {
  atStripe,
  callBack,
  callbacksOf,
  comeBack,
  eventsOf,
  ledgerOf,
  newBusiness,
  newStripeShop,
  paidAtStripe,
  paymentsOf,
  type StripeShop,
} from "./stripe-setting";

const peer = runningPeer();

afterAll(closePool);

const none = new URLSearchParams();
const key = (mode = "test") => `sk_${mode}_${newId()}`;

describe("connecting", () => {
  test("a key is checked, kept sealed, never shown, and opens the mode", async () => {
    const ctx = await newBusiness("live");
    expect(await hasGateway(ctx.businessId, "live")).toBe(false);
    const secret_key = key("live");
    const webhook_secret = `whsec_${newId()}`;
    const made = await connect(ctx, { secret_key, webhook_secret });
    expect(made).toMatchObject({
      gateway: "stripe",
      mode: "live",
      status: "active",
      in_use: true,
      account: peer.bank(secret_key).id,
      account_name: "Night Market",
      has_webhook_secret: true,
    });
    expect(made.callback_url).toContain(`/api/gateways/stripe/callback/${made._id}`);
    expect(await hasGateway(ctx.businessId, "live")).toBe(true);
    const { rows } = await db.execute(
      sql`select to_jsonb(g) as row from gateway_connections g where id = ${made._id}`,
    );
    for (const text of [
      JSON.stringify(rows),
      JSON.stringify(made),
      JSON.stringify(await list(ctx, {}, none)),
    ]) {
      expect(text).not.toContain(secret_key);
      expect(text).not.toContain(webhook_secret);
    }
  });

  test.each([
    ["a key of the other mode", key("live"), /test mode/],
    ["a key Stripe does not accept", "sk_test_revoked00000000", /does not accept/],
  ])("%s is refused at its field", async (_name, secret_key, words) => {
    const ctx = await newBusiness();
    await expect(connect(ctx, { secret_key })).rejects.toMatchObject({
      status: 422,
      options: { errors: { secret_key: [expect.stringMatching(words)] } },
    });
    expect((await lineFor(ctx)).gateway.name).toBe("simulator");
  });

  test("while Stripe does not answer nothing is accepted", async () => {
    const ctx = await newBusiness();
    peer.trouble = { status: 500, body: "oops" };
    await expect(connect(ctx, { secret_key: key() })).rejects.toMatchObject({ status: 503 });
    peer.trouble = null;
    expect((await list(ctx, {}, none)).data).toHaveLength(1);
  });

  test("one account a mode at a time; modes and businesses are apart", async () => {
    const shop = await newStripeShop(peer);
    await expect(connect(shop.ctx, { secret_key: key() })).rejects.toMatchObject({ status: 409 });
    const other = await newBusiness();
    await expect(get(other, shop.connectionId)).rejects.toMatchObject({ status: 404 });
    await expect(get({ ...shop.ctx, mode: "live" }, shop.connectionId)).rejects.toMatchObject({
      status: 404,
    });
    await expect(revoke(other, shop.connectionId)).rejects.toMatchObject({ status: 404 });
    await expect(callbacks(other, shop.connectionId, {}, none)).rejects.toMatchObject({
      status: 404,
    });
    expect((await lineFor(shop.ctx)).gateway.name).toBe("stripe");
  });

  test("32 at once connect one", async () => {
    const ctx = await newBusiness();
    const tried = await Promise.allSettled(
      Array.from({ length: 32 }, () => connect(ctx, { secret_key: key() })),
    );
    expect(tried.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("a key is replaced by another of the same account, and by no other's", async () => {
    const shop = await newStripeShop(peer);
    const next = key();
    peer.share(shop.secretKey, next);
    const replaced = await replace(shop.ctx, shop.connectionId, { secret_key: next });
    expect(replaced).toMatchObject({ last_four: next.slice(-4), has_webhook_secret: true });
    expect((await lineFor(shop.ctx)).connection.secret).toBe(next);
    await expect(replace(shop.ctx, shop.connectionId, { secret_key: key() })).rejects.toMatchObject(
      { status: 422 },
    );
    expect(await replace(shop.ctx, shop.connectionId, { webhook_secret: null })).toMatchObject({
      has_webhook_secret: false,
      last_four: next.slice(-4),
    });
  });

  test("revoked: the keys are gone, test mode falls back to the simulator, and the same account takes up where it was left", async () => {
    const shop = await newStripeShop(peer);
    const { payment, session } = await atStripe(shop);
    expect(await revoke(shop.ctx, shop.connectionId)).toMatchObject({
      status: "revoked",
      in_use: false,
      open_attempts: 1,
    });
    const { rows } = await db.execute(
      sql`select secret, callback_secret from gateway_connections where id = ${shop.connectionId}`,
    );
    expect(rows).toEqual([{ secret: null, callback_secret: null }]);
    expect((await lineFor(shop.ctx)).gateway.name).toBe("simulator");
    await expect(revoke(shop.ctx, shop.connectionId)).rejects.toMatchObject({ status: 409 });
    shop.bank.press(session, "approve");
    await expect(callBack(shop, shop.bank.events.at(-1)?.body ?? "")).rejects.toMatchObject({
      status: 404,
    });
    expect((await comeBack(shop, payment.id)).status).toBe("unknown");
    expect((await connect(shop.ctx, { secret_key: shop.secretKey }))._id).toBe(shop.connectionId);
    expect((await comeBack(shop, payment.id)).status).toBe("succeeded");
  });

  test("the simulator can be neither replaced nor revoked", async () => {
    const ctx = await newBusiness();
    const id = (await list(ctx, {}, none)).data[0]?._id ?? "";
    await expect(revoke(ctx, id)).rejects.toMatchObject({ status: 409 });
    await expect(replace(ctx, id, {})).rejects.toMatchObject({ status: 409 });
  });
});

describe("paying, and what follows", () => {
  let shop: StripeShop;
  beforeEach(async () => {
    shop = await newStripeShop(peer);
  });

  test("a link paid at Stripe: payment, ledger and Stripe's books agree, its cut included", async () => {
    const payment = await paidAtStripe(shop, 2_000);
    expect(payment).toMatchObject({
      status: "succeeded",
      gateway: "stripe",
      gatewayId: shop.bank.intents[0]?.id,
    });
    const fee = feeOf(2_000);
    expect(await ledgerOf(shop)).toEqual({ gateway: 2_000 - fee, sales: -2_000, fees: fee });
    expect(await refund(shop.ctx, payment.id, { amount: 1_000 })).toMatchObject({
      status: "succeeded",
      amount: 1_000,
    });
    expect(shop.bank.refunds.map(({ amount }) => amount)).toEqual([1_000]);
    expect(await ledgerOf(shop)).toEqual({
      gateway: 1_000 - fee,
      sales: -2_000,
      fees: fee,
      refunds: 1_000,
    });
  });

  test("a cut that is known only later is booked then, once", async () => {
    shop.bank.feesLater = true;
    const payment = await paidAtStripe(shop, 2_000);
    expect(payment.status).toBe("succeeded");
    expect(await ledgerOf(shop)).toEqual({ gateway: 2_000, sales: -2_000 });
    await reconcile(shop.ctx, payment);
    shop.bank.settle();
    for (let looks = 0; looks < 2; looks++)
      await reconcile(shop.ctx, (await findPayment(shop.ctx, payment.id)) as typeof payment);
    expect(await ledgerOf(shop)).toEqual({
      gateway: 2_000 - feeOf(2_000),
      sales: -2_000,
      fees: feeOf(2_000),
    });
    expect((await findPayment(shop.ctx, payment.id))?.nextCheckAt).toBeNull();
  });

  test("an amount Stripe cannot take is a 422 that says so; the simulator takes it", async () => {
    const input = {
      email: "payer@example.com",
      currency: "KWD",
      amount: 12_345,
      title: "Dates",
      send_email: false,
    };
    await expect(create(shop.ctx, input)).rejects.toMatchObject({
      status: 422,
      options: { errors: { amount: [expect.stringContaining("multiple of 10 in KWD")] } },
    });
    await expect(
      create(shop.ctx, { ...input, currency: "UGX", amount: 1_000_000 }),
    ).rejects.toMatchObject({
      status: 422,
      options: { errors: { amount: [expect.stringContaining("999999 in UGX")] } },
    });
    expect((await create(await newBusiness(), input)).amount).toBe(12_345);
  });

  test.each([
    ["KWD", 12_340, 5, "multiple of 10 in KWD"],
    ["MGA", 50_000, 150, "multiple of 100 in MGA"],
  ])(
    "a refund of %s that Stripe cannot give back is a 422 and leaves nothing behind",
    async (currency, amount, part, words) => {
      const { payment, session } = await atStripe(shop, amount, currency);
      shop.bank.press(session, "approve");
      await comeBack(shop, payment.id);
      await expect(refund(shop.ctx, payment.id, { amount: part })).rejects.toMatchObject({
        status: 422,
        options: { errors: { amount: [expect.stringContaining(words)] } },
      });
      expect((await refunds(shop.ctx, payment.id, {}, none)).data).toEqual([]);
      expect(await refund(shop.ctx, payment.id, {})).toMatchObject({ status: "succeeded", amount });
    },
  );

  test("nobody is subscribed to a package whose amount Stripe cannot take; made before Stripe was connected, it can still be cancelled", async () => {
    const ctx = await newBusiness("live");
    const terms = {
      name: "Dates",
      amount: 5_001,
      currency: "KWD",
      frequency: "monthly",
      date_charge_start: "2020-01-01",
    } as const;
    const [odd, even] = [
      await createPackage(ctx, terms),
      await createPackage(ctx, { ...terms, amount: 5_010 }),
    ];
    await connect(ctx, { secret_key: key("live") });
    const errors = {
      package_id: [
        "The package cannot be charged. The amount must be a multiple of 10 in KWD: Stripe takes no third digit.",
      ],
    };
    await expect(
      subscribe(ctx, { package_id: odd._id, email: "payer@example.com" }),
    ).rejects.toMatchObject({ status: 422, options: { errors } });
    expect(
      await subscribe(ctx, { package_id: even._id, email: "payer@example.com" }),
    ).toMatchObject({ status: "created" });
    await expect(updatePackage(ctx, even._id, terms)).rejects.toMatchObject({
      status: 422,
      options: { errors: { amount: [expect.stringContaining("multiple of 10 in KWD")] } },
    });
    expect(await updatePackage(ctx, odd._id, { ...terms, status: "cancel" })).toMatchObject({
      status: "cancel",
      amount: 5_001,
    });
  });

  test("an amount Stripe cannot take is told together with what else is wrong, alone and among many", async () => {
    const { secret } = await createKey(
      { businessId: shop.ctx.businessId, mode: "test" },
      "amounts",
    );
    const body = { email: "bad", currency: "KWD", amount: 12_345, title: "Dates" };
    const both = {
      amount: [expect.stringContaining("multiple of 10 in KWD")],
      email: ["The email must be a valid email address."],
    };
    expect((await api("POST", "/payment-links", { key: secret, body })).body.errors).toEqual(both);
    const many = await api("POST", "/payment-links/bulk", { key: secret, body: { rows: [body] } });
    expect((many.body.data as BulkReport).rows[0]?.errors).toEqual(both);
    expect(
      (await api("POST", "/payment-links", { key: secret, body: { ...body, currency: "XXX" } }))
        .body.errors,
    ).not.toHaveProperty("amount");
  });

  test("callbacks alone settle a payment, in any order and however often they come", async () => {
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

  test("one that comes before we know the payment waits for it", async () => {
    const { payment, session } = await atStripe(shop);
    await db.execute(sql`update payments set connection_id = 'elsewhere' where id = ${payment.id}`);
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
    await workCallbacks(50, "stripe-test");
    expect((await callbacksOf(shop))[0]?.state).toBe("done");
    expect((await findPayment(shop.ctx, payment.id))?.status).toBe("succeeded");
  });

  test("forged, stale and unsigned ones leave nothing behind, and neither does an address without a secret", async () => {
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
  ])("one of %s is set aside, shown, and counts for nothing", async (_name, change, words) => {
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
    const shown = await callbacks(shop.ctx, shop.connectionId, { status: "quarantined" }, none);
    expect(shown.data).toEqual([
      expect.objectContaining({ status: "quarantined", problem: expect.stringMatching(words) }),
    ]);
    expect((await get(shop.ctx, shop.connectionId)).quarantined).toBe(1);
    expect(await ledgerOf(shop)).toEqual({});
  });

  test("an amount that Stripe itself tells otherwise is never counted as paid", async () => {
    const { payment, session } = await atStripe(shop);
    shop.bank.press(session, "approve");
    const intent = shop.bank.intents[0];
    if (intent) intent.amount_received = 1;
    await callBack(shop, shop.bank.events.at(-1)?.body ?? "");
    expect(await findPayment(shop.ctx, payment.id)).toMatchObject({
      status: "unknown",
      flags: ["mismatch"],
      succeededAt: null,
    });
    expect(await ledgerOf(shop)).toEqual({});
  });

  test("a refund made at Stripe shows up here, once", async () => {
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
    "a dispute shows up here, and that it was %s",
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

  test("what others do with the same account is none of ours", async () => {
    const foreign = shop.bank.charge({
      amount: 700,
      currency: "myr",
      customer: shop.bank.saveMethod("works", "cus_x").customer,
      method: shop.bank.methods[0]?.id ?? "",
      metadata: {},
      description: "Elsewhere",
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

test("nothing was sent that Stripe's description does not allow", () => {
  expect(peer.problems).toEqual([]);
});
