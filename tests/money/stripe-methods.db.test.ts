import { sql } from "drizzle-orm";
import { afterAll, beforeEach, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { create as createPackage } from "@/lib/domain/packages/create";
import { create as subscribe } from "@/lib/domain/subscriptions/create";
import { get as getSubscription } from "@/lib/domain/subscriptions/get";
import { get as getToken } from "@/lib/domain/tokenizations/get";
import { charge } from "@/lib/flows/charge/steps";
import { renewal } from "@/lib/flows/renewal/job";
import { runOnce } from "../run-once";
import { accountRestricted } from "../stripe-peer/refused";
import { runningPeer } from "../stripe-peer/running";
import {
  callBack,
  callbacksOf,
  eventsOf,
  newStripeShop,
  savedAtStripe,
  type StripeShop,
} from "./stripe-setting";
import { payer, terms } from "./subscription-setting";

const peer = runningPeer();

afterAll(closePool);

let shop: StripeShop;
let token: string;
beforeEach(async () => {
  shop = await newStripeShop(peer);
  token = await savedAtStripe(shop);
});

const saved = () => getToken(shop.ctx, token);
const method = () => {
  const [found] = shop.bank.methods;
  if (!found) throw new Error("no method was saved");
  return found;
};
const lastEvent = () => callBack(shop, shop.bank.events.at(-1)?.body ?? "");
const stateOfLast = async () => (await callbacksOf(shop)).at(-1)?.state;

test.each(["automatically_updated", "updated"])(
  "payment_method.%s: the saved card has the new number and expiry, and the token stays active",
  async (type) => {
    shop.bank.updateCard(method(), { last4: "1881", exp_month: 9, exp_year: 2034 }, type);
    await lastEvent();
    expect(await saved()).toMatchObject({
      status: "active",
      payment_method: { brand: "visa", last4: "1881", exp: "09/2034" },
    });
    expect(await stateOfLast()).toBe("done");
    expect(await eventsOf(shop, "tokenization.updated")).toBe(1);
    expect(
      await charge(shop.ctx, token, { title: "Tea", currency: "MYR", amount: 900 }),
    ).toMatchObject({ status: "succeeded" });
  },
);

test("the same report again, and one that changes nothing, write no event", async () => {
  shop.bank.updateCard(method(), { exp_year: 2034 });
  await lastEvent();
  await lastEvent();
  shop.bank.updateCard(method(), {});
  await lastEvent();
  expect(await eventsOf(shop, "tokenization.updated")).toBe(1);
});

test("a card that is removed at Stripe revokes the token: nothing is charged, and the record says so", async () => {
  shop.bank.detach(method());
  await lastEvent();
  expect(await saved()).toMatchObject({ status: "revoked" });
  expect(await eventsOf(shop, "tokenization.revoked")).toBe(1);
  await expect(
    charge(shop.ctx, token, { title: "Tea", currency: "MYR", amount: 900 }),
  ).rejects.toMatchObject({ status: 409 });
  expect(shop.bank.intents).toEqual([]);
  // An older report comes late.
  shop.bank.updateCard(method(), { exp_year: 2035 });
  await lastEvent();
  expect(await saved()).toMatchObject({ status: "revoked" });
});

test("a new subscription of the payer does not use a card that was removed at Stripe", async () => {
  const pack = await createPackage(shop.ctx, {
    name: "Membership",
    amount: 1_500,
    currency: "MYR",
    frequency: "monthly",
    date_charge_start: "2030-01-01",
  });
  shop.bank.detach(method());
  await lastEvent();
  const made = await subscribe(shop.ctx, { package_id: pack._id, email: "payer@example.com" });
  expect(made.tokenization_id).toBeNull();
});

test("a renewal that Stripe refuses because of the account does not halt the subscription: its card is tried again", async () => {
  const { _id: package_id } = await createPackage(shop.ctx, terms);
  const { _id } = await subscribe(shop.ctx, { package_id, email: payer });
  peer.trouble = accountRestricted;
  await runOnce(renewal, shop.ctx.businessId);
  peer.trouble = null;
  expect(await getSubscription(shop.ctx, _id)).toMatchObject({
    status: "past_due",
    next_charge_at: expect.any(String),
  });
  await db.execute(
    sql`update subscription_periods set (retry_at, next_attempt_at) = row(now(), now()) where business_id = ${shop.ctx.businessId}`,
  );
  await runOnce(renewal, shop.ctx.businessId);
  expect((await getSubscription(shop.ctx, _id)).status).toBe("active");
  expect(shop.bank.intents).toHaveLength(1);
});

test("a card that other programs saved at the account is nobody's here", async () => {
  const other = shop.bank.saveMethod("works");
  shop.bank.detach(other);
  await lastEvent();
  expect(await stateOfLast()).toBe("unmatched");
  expect(await saved()).toMatchObject({ status: "active" });
});

test("metadata of a method that names a payment leads nowhere", async () => {
  const metadata = { kutip_attempt: shop.ctx.requestId };
  shop.bank.updateCard(Object.assign(method(), { metadata }), {});
  await lastEvent();
  expect(await stateOfLast()).toBe("done");
});

test("while Stripe does not answer the report waits, and is worked later", async () => {
  shop.bank.updateCard(method(), { exp_year: 2034 });
  peer.trouble = { status: 500, body: "oops" };
  await lastEvent();
  peer.trouble = null;
  expect(await stateOfLast()).toBe("new");
  expect(await saved()).toMatchObject({ payment_method: { exp: "04/2031" } });
});

test("the report waits too when Stripe says who saved the card and then nothing more", async () => {
  shop.bank.detach(method());
  peer.lose("GET /v1/payment_methods/{payment_method}");
  await lastEvent();
  expect(await stateOfLast()).toBe("new");
  expect(await saved()).toMatchObject({ status: "active" });
});
