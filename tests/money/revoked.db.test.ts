import { sql } from "drizzle-orm";
import { afterAll, expect, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import { charge } from "@/lib/flows/charge/steps";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { create as refund } from "@/lib/flows/refund/steps";
import { connect, revoke } from "@/lib/flows/connecting/steps";
import { resolveGatewayOf } from "@/lib/domain/gateway-connections/account";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { create as createPackage } from "@/lib/domain/packages/create";
import { create as subscribe } from "@/lib/domain/subscriptions/create";
import { renewal } from "@/lib/flows/renewal/job";
import { get } from "@/lib/domain/subscriptions/get";
import { settle } from "@/lib/domain/payments/settle";
import { callbacks } from "@/lib/flows/callback/job";
import { waitForAccount } from "@/lib/flows/callback/steps";
import { newId } from "@/lib/kernel/ids";
import { log } from "@/lib/kernel/log";
import { runningPeer } from "../stripe-peer/running";
import { beforeNext } from "./before-next";
import {
  atStripe,
  callBack,
  callbacksOf,
  newStripeShop,
  paymentsOf,
  type StripeShop,
  savedAtStripe,
} from "./stripe-setting";
import { payer, terms } from "./subscription-setting";
import { api, newTenant } from "../contract/setting";
import { connect as connectPlugin } from "../plugins/setting";
import { runOnce } from "../run-once";

vi.mock(import("@/lib/domain/gateway-connections/account"), { spy: true });

const peer = runningPeer();
afterAll(closePool);

/** A subscription with a method saved at the shop's Stripe account, the first period due. */
async function subscribed(shop: StripeShop): Promise<string> {
  await savedAtStripe(shop);
  const { _id: packageId } = await createPackage(shop.ctx, terms);
  return (await subscribe(shop.ctx, { package_id: packageId, email: payer }))._id;
}

async function tenMinutesLater({ ctx }: StripeShop): Promise<void> {
  await db.execute(
    sql`update subscription_periods set next_attempt_at = (select next_attempt_at - interval '10 minutes') where business_id = ${ctx.businessId}`,
  );
  await runOnce(renewal, ctx.businessId);
}

test("while the gateway account is revoked renewals wait, without a decline; connected again they are charged with the saved method", async () => {
  const shop = await newStripeShop(peer, "live");
  const id = await subscribed(shop);
  await revoke(shop.ctx, shop.connectionId);
  await runOnce(renewal, shop.ctx.businessId);
  await tenMinutesLater(shop);
  expect([(await get(shop.ctx, id)).status, await paymentsOf(shop)]).toEqual(["created", []]);
  await connect(shop.ctx, { secret_key: shop.secretKey, webhook_secret: shop.webhookSecret });
  await tenMinutesLater(shop);
  expect((await paymentsOf(shop)).map(({ status }) => status)).toEqual(["succeeded"]);
  expect((await get(shop.ctx, id)).status).toBe("active");
});

test("a renewal that was not sent yet when its gateway account was revoked is no decline; connected again it is charged once", async () => {
  const shop = await newStripeShop(peer, "live");
  const id = await subscribed(shop);
  beforeNext(resolveGatewayOf, () => revoke(shop.ctx, shop.connectionId));
  await runOnce(renewal, shop.ctx.businessId);
  const statuses = async () => (await paymentsOf(shop)).map(({ status }) => status).sort();
  expect([(await get(shop.ctx, id)).status, await statuses()]).toEqual(["created", ["cancelled"]]);
  await tenMinutesLater(shop);
  expect([(await get(shop.ctx, id)).status, await statuses()]).toEqual(["created", ["cancelled"]]);
  await connect(shop.ctx, { secret_key: shop.secretKey, webhook_secret: shop.webhookSecret });
  await tenMinutesLater(shop);
  expect(await statuses()).toEqual(["cancelled", "succeeded"]);
  expect((await get(shop.ctx, id)).status).toBe("active");
  expect(shop.bank.intents).toHaveLength(1);
});

test("where another gateway takes the money meanwhile, the payer is asked instead", async () => {
  const shop = await newStripeShop(peer);
  const id = await subscribed(shop);
  await revoke(shop.ctx, shop.connectionId);
  await runOnce(renewal, shop.ctx.businessId);
  expect(await get(shop.ctx, id)).toMatchObject({
    status: "created",
    payment_links: [{ status: "Active" }],
  });
  expect(await paymentsOf(shop)).toEqual([]);
});

test("a charge that lost its answer stays unknown while its account is revoked, and is found once that is connected again", async () => {
  const shop = await newStripeShop(peer);
  const token = await savedAtStripe(shop);
  peer.lose("POST /v1/payment_intents");
  const { _id } = await charge(shop.ctx, token, { amount: 700, currency: "MYR", title: "Once" });
  await revoke(shop.ctx, shop.connectionId);
  const look = async () =>
    (await reconcile(shop.ctx, (await findPayment(shop.ctx, _id)) as PaymentRow)).status;
  expect(await look()).toBe("unknown");
  await connect(shop.ctx, { secret_key: shop.secretKey, webhook_secret: shop.webhookSecret });
  expect(await look()).toBe("succeeded");
  expect(shop.bank.intents.filter(({ status }) => status === "succeeded")).toHaveLength(1);
});

test("a payment of a revoked account is refunded outside and recorded, since the account is asked for nothing", async () => {
  const shop = await newStripeShop(peer);
  const token = await savedAtStripe(shop);
  const { _id } = await charge(shop.ctx, token, { amount: 700, currency: "MYR", title: "Left" });
  await revoke(shop.ctx, shop.connectionId);
  await expect(refund(shop.ctx, _id, {})).rejects.toMatchObject({
    code: "refund_unsupported",
    message:
      "This payment provider was disconnected. Give the money back at Stripe, then record the refund here.",
  });
  expect(await refund(shop.ctx, _id, { made_at_gateway: true })).toMatchObject({
    status: "succeeded",
    amount: 700,
  });
  expect(shop.bank.refunds).toEqual([]);
});

/** A payment that ended here and was paid at Stripe, and its callback, which had no answer. */
async function unansweredCallback(shop: StripeShop): Promise<string> {
  const { payment, session } = await atStripe(shop);
  const gatewayId = payment.gatewayId ?? "";
  await settle(shop.ctx, payment.id, { kind: "cancelled", gatewayId });
  shop.bank.press(session, "approve");
  peer.trouble = { status: 401, body: '{"error":{"type":"invalid_request_error"}}' };
  await callBack(shop, shop.bank.events.at(-1)?.body ?? "");
  peer.trouble = null;
  return payment.id;
}

test.each(["this", "an earlier"])(
  "a callback that had no answer when its account was revoked waits for days without a try, and books its money once %s version has connected that again",
  async (version) => {
    const shop = await newStripeShop(peer);
    const id = await unansweredCallback(shop);
    await revoke(shop.ctx, shop.connectionId);
    const errors = vi.spyOn(log, "error").mockClear();
    /** The callbacks, after the worker has looked so many days later. */
    const workedLater = async (days: number) => {
      await db.execute(
        sql`update gateway_events set next_try_at = (select next_try_at - make_interval(days => ${days})) where connection_id = ${shop.connectionId}`,
      );
      await runOnce(callbacks, shop.ctx.businessId);
      return callbacksOf(shop);
    };
    for (let days = 0; days < 3; days++)
      expect(await workedLater(1)).toMatchObject([{ state: "new", problem: null }]);
    expect(errors).not.toHaveBeenCalled();
    const { rows: parked } = await db.execute<{ at: string }>(
      sql`select next_try_at as at from gateway_events where connection_id = ${shop.connectionId}`,
    );
    await connect(shop.ctx, { secret_key: shop.secretKey, webhook_secret: shop.webhookSecret });
    // An earlier one resumes no callbacks.
    if (version === "an earlier")
      await db.execute(
        sql`update gateway_events set next_try_at = ${parked[0]?.at ?? null}::timestamptz where connection_id = ${shop.connectionId}`,
      );
    expect(await workedLater(version === "this" ? 0 : 1)).toMatchObject([{ state: "done" }]);
    expect((await findPayment(shop.ctx, id))?.status).toBe("succeeded");
  },
);

test("a worker that saw the account as revoked does not end a callback that was resumed meanwhile", async () => {
  const shop = await newStripeShop(peer);
  await unansweredCallback(shop);
  await revoke(shop.ctx, shop.connectionId);
  const { rows } = await db.execute<Parameters<typeof waitForAccount>[0]>(
    sql`select business_id as "businessId", connection_id as "connectionId", event_id as "eventId", problem, fence::int as fence from gateway_events where connection_id = ${shop.connectionId}`,
  );
  await connect(shop.ctx, { secret_key: shop.secretKey, webhook_secret: shop.webhookSecret });
  for (const seen of rows) await waitForAccount(seen);
  const { rows: due } = await db.execute(
    sql`select 1 from gateway_events where connection_id = ${shop.connectionId} and next_try_at <= now()`,
  );
  expect([rows.length, due.length]).toEqual([1, 1]);
});

test("beside one that was returned by transfer, a refund made in Stripe's dashboard is recorded once, and moves no money", async () => {
  const shop = await newStripeShop(peer);
  const token = await savedAtStripe(shop);
  const { _id } = await charge(shop.ctx, token, { amount: 700, currency: "MYR", title: "Left" });
  const record = (amount: number) => refund(shop.ctx, _id, { amount, made_at_gateway: true });
  await revoke(shop.ctx, shop.connectionId);
  await record(200);
  await connect(shop.ctx, { secret_key: shop.secretKey, webhook_secret: shop.webhookSecret });
  await expect(record(300)).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringMatching(/^Stripe shows no refund of this amount/),
  });
  const made = shop.bank.refund(shop.bank.intents[0]?.id ?? "", 300, {});
  const reported = () =>
    callBack(shop, (shop.bank.events.at(-1)?.body ?? "").replace(/"evt_\w+"/, `"evt_${newId()}"`));
  await reported();
  expect((await callbacksOf(shop)).at(-1)).toMatchObject({
    state: "quarantined",
    problem: expect.stringMatching(/If it is another refund, record it too\.$/),
  });
  const tried = await Promise.allSettled([record(300), reported(), record(300), record(300)]);
  expect(tried.map(({ status }) => status).sort()).toEqual([
    ...["fulfilled", "fulfilled", "rejected", "rejected"],
  ]);
  await reported();
  expect((await callbacksOf(shop)).at(-1)).toMatchObject({ state: "done" });
  await expect(record(300)).rejects.toMatchObject({ code: "conflict" });
  expect((await findPayment(shop.ctx, _id))?.refundedAmount).toBe(500);
  expect(shop.bank.refunds.map(({ id }) => id)).toEqual([made.id]);
});

test.each(["/payment-links", "/v1/payment-links"])(
  "POST %s under a used Idempotency-Key returns its answer after the gateway is revoked; a new key is refused and stays free",
  async (path) => {
    const tenant = await newTenant();
    const secrets = { secret_key: `sk_live_${newId()}`, webhook_secret: `whsec_${newId()}` };
    const { _id } = await connect(tenant.ctx.live, secrets);
    const key = path.startsWith("/v1/")
      ? (await connectPlugin("woocommerce", { tenant, mode: "live" })).apiKey
      : tenant.keys.live;
    const body = { email: payer, currency: "MYR", amount: "500", title: "Once", send_email: false };
    const send = (name?: string) =>
      api("POST", path, { key, body, headers: name ? { "idempotency-key": name } : {} });
    const first = await send("order-7");
    expect(first.status).toBe(200);
    await revoke(tenant.ctx.live, _id);
    const again = await send("order-7");
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    for (const answer of [await send("order-8"), await send()])
      expect([answer.status, answer.body.message]).toEqual([
        409,
        "Connect a payment provider for live mode first.",
      ]);
    await connect(tenant.ctx.live, secrets);
    const later = await send("order-8");
    expect([later.status, later.headers.get("idempotent-replayed")]).toEqual([200, null]);
  },
);
