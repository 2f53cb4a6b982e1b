import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/client";
import { create as createPackage } from "@/lib/domain/packages/create";
import { findLink } from "@/lib/domain/payment-links/rows";
import { get } from "@/lib/domain/payments/get";
import { create as subscribe } from "@/lib/domain/subscriptions/create";
import { get as getSubscription } from "@/lib/domain/subscriptions/get";
import { outcomes, renewal } from "@/lib/flows/renewal/job";
import { remove as cancel } from "@/lib/flows/subscription-change/remove";
import { sinceRestore } from "@/lib/operator/since-restore";
import {
  callbacksOf,
  eventsOf,
  ledgerOf,
  newStripeShop,
  paymentsOf,
  type StripeShop,
  savedAtStripe,
} from "./money/stripe-setting";
import { payer } from "./money/subscription-setting";
import {
  AMOUNT,
  atSource,
  backUp,
  goBack,
  payFor,
  peer,
  search,
  taken,
  workCallbacks,
} from "./restore-setting";
import { runAll } from "./run-once";

/** A subscription with a period that is due; its id. */
async function subscribed({ ctx }: StripeShop): Promise<string> {
  const { _id: packageId } = await createPackage(ctx, {
    name: "Membership",
    amount: AMOUNT,
    currency: "MYR",
    frequency: "yearly",
    date_charge_start: "2020-01-01",
  });
  return (await subscribe(ctx, { package_id: packageId, email: payer }))._id;
}

/** What a worker does with the periods that are due, and with the news of their payments. */
async function work({ ctx }: StripeShop): Promise<void> {
  await runAll(renewal, ctx.businessId);
  await runAll(outcomes, ctx.businessId);
  await runAll(renewal, ctx.businessId);
}

const dueNow = ({ ctx }: StripeShop) =>
  db.execute(
    sql`update subscription_periods set retry_at = now(), next_attempt_at = now() where business_id = ${ctx.businessId} and state = 'open'`,
  );

async function linksOf({ ctx }: StripeShop): Promise<Array<{ id: string; status: string }>> {
  const { rows } = await db.execute<{ id: string; status: string }>(
    sql`select id, status from payment_links where business_id = ${ctx.businessId} order by created_at`,
  );
  return rows;
}

const statusOf = async ({ ctx }: StripeShop, id: string) => (await getSubscription(ctx, id)).status;

const shown = async (shop: StripeShop) =>
  (await paymentsOf(shop)).map(({ id, status, flags }) => ({ id, status, flags }));

async function assertBooked(shop: StripeShop, times: number): Promise<void> {
  const ledger = await ledgerOf(shop);
  expect(ledger.sales).toBe(-times * AMOUNT);
  expect(Object.values(ledger).reduce((sum, amount) => sum + amount, 0)).toBe(0);
}

test.each(["search", "renewal"])(
  "a period that was charged with a method saved after the backup is paid by that charge (%s first)",
  async (first) => {
    await atSource();
    const shop = await newStripeShop(peer);
    const subscription = await subscribed(shop);
    await backUp();
    await savedAtStripe(shop);
    await work(shop);
    const [charge] = await paymentsOf(shop);
    expect([taken(shop), charge?.status]).toEqual([1, "succeeded"]);

    await goBack(false);
    if (first === "renewal") await work(shop);
    await search();
    await work(shop);
    await savedAtStripe(shop);
    await work(shop);
    expect(await shown(shop)).toEqual([{ id: charge?.id, status: "succeeded", flags: [] }]);
    expect([taken(shop), await statusOf(shop, subscription)]).toEqual([1, "active"]);
    expect((await linksOf(shop)).filter(({ status }) => status === "Active")).toEqual([]);
    expect(await callbacksOf(shop)).toEqual([]);
    await assertBooked(shop, 1);
  },
);

test("a failed charge since the backup and the one that paid the period after it are both booked before anybody is asked", async () => {
  await atSource();
  const shop = await newStripeShop(peer);
  await savedAtStripe(shop, "soft");
  const subscription = await subscribed(shop);
  await backUp();
  await work(shop);
  expect(await statusOf(shop, subscription)).toBe("past_due");
  for (const method of shop.bank.methods) method.behaviour = "works";
  await dueNow(shop);
  await work(shop);
  const before = (await shown(shop)).map(({ id, status }) => [id, status]);
  expect(before.map(([, status]) => status)).toEqual(["failed", "succeeded"]);

  await goBack(false);
  await work(shop);
  expect((await shown(shop)).map(({ id, status }) => [id, status]).sort()).toEqual(before.sort());
  expect([taken(shop), await statusOf(shop, subscription)]).toEqual([1, "active"]);
  expect(await linksOf(shop)).toEqual([]);
  for (const type of ["subscription.past_due", "subscription.payment_due", "subscription.halted"])
    expect([type, await eventsOf(shop, type)]).toEqual([type, 0]);
  await search();
  await assertBooked(shop, 1);
});

test("a period that was charged after the backup in an earlier time zone of the business is not charged again in the new one", async () => {
  await atSource();
  const shop = await newStripeShop(peer);
  const moveTo = (zone: string) =>
    db.execute(sql`update businesses set time_zone = ${zone} where id = ${shop.ctx.businessId}`);
  await moveTo("Pacific/Kiritimati");
  await savedAtStripe(shop);
  const subscription = await subscribed(shop);
  await backUp();
  await work(shop);
  expect(taken(shop)).toBe(1);

  await goBack(true);
  // Its day begins 25 hours later there, so it is still to come.
  await moveTo("Pacific/Pago_Pago");
  await work(shop);
  expect([taken(shop), await statusOf(shop, subscription)]).toEqual([1, "active"]);
  await search();
  await assertBooked(shop, 1);
});

test("a link that the payer of a period paid after the backup is the period's link again, and paid", async () => {
  await atSource();
  const shop = await newStripeShop(peer);
  await savedAtStripe(shop, "soft");
  const subscription = await subscribed(shop);
  await backUp();
  await work(shop);
  const [link] = await linksOf(shop);
  await payFor(shop, link?.id ?? "");
  await work(shop);
  expect([taken(shop), await statusOf(shop, subscription)]).toEqual([1, "active"]);

  await goBack(false);
  await search();
  expect((await callbacksOf(shop)).map(({ state }) => state)).toEqual(["quarantined"]);
  await work(shop);
  expect((await linksOf(shop)).map(({ id }) => id)).toEqual([link?.id]);
  await search();
  await work(shop);
  expect((await findLink(shop.ctx, link?.id ?? ""))?.status).toBe("Paid");
  for (const method of shop.bank.methods) method.behaviour = "works";
  await dueNow(shop);
  await work(shop);
  expect([taken(shop), await statusOf(shop, subscription)]).toEqual([1, "active"]);
  expect(await callbacksOf(shop)).toMatchObject([{ state: "done", problem: null }]);
  await assertBooked(shop, 1);
});

test("a charge since the backup for a subscription that was cancelled after the restore is booked and shown as late", async () => {
  await atSource();
  const shop = await newStripeShop(peer);
  await savedAtStripe(shop);
  const subscription = await subscribed(shop);
  await backUp();
  await work(shop);

  await goBack(false);
  await cancel(shop.ctx, subscription);
  await search();
  await work(shop);
  expect((await shown(shop)).map(({ status, flags }) => [status, flags])).toEqual([
    ["succeeded", ["late"]],
  ]);
  await assertBooked(shop, 1);
});

test("a subscription that was cancelled after the backup is charged again after the restore, which says so", async () => {
  await atSource();
  const shop = await newStripeShop(peer);
  await savedAtStripe(shop);
  const subscription = await subscribed(shop);
  await backUp();
  await cancel(shop.ctx, subscription);

  await goBack(false);
  expect((await sinceRestore())[0]).toContain(
    "Subscriptions that were cancelled are charged again",
  );
  await work(shop);
  expect([taken(shop), await statusOf(shop, subscription)]).toEqual([1, "active"]);
});

test("a refund since the backup of a charge that is found only later is booked once it is found", async () => {
  await atSource();
  const shop = await newStripeShop(peer);
  const subscription = await subscribed(shop);
  await backUp();
  await savedAtStripe(shop);
  await work(shop);
  const [charge] = await paymentsOf(shop);
  shop.bank.refund(charge?.gatewayId ?? "", 300, {});

  await goBack(false);
  // Others of this install are searched too.
  peer.lose("GET /v1/payment_intents/{intent}", 1, shop.bank);
  await search();
  expect(await paymentsOf(shop)).toEqual([]);
  await db.execute(
    sql`update gateway_events set created_at = (select created_at - interval '20 minutes') where business_id = ${shop.ctx.businessId}`,
  );
  await workCallbacks(shop);
  expect((await callbacksOf(shop)).map(({ state }) => state)).toEqual(["unmatched"]);

  await search();
  await workCallbacks(shop);
  await work(shop);
  expect(await get(shop.ctx, charge?.id ?? "")).toMatchObject({
    status: "partially_refunded",
    refunded_amount: 300,
    subscription_id: subscription,
  });
  expect((await callbacksOf(shop)).map(({ state }) => state)).toEqual(["done"]);
  expect((await ledgerOf(shop)).refunds).toBe(300);
});
