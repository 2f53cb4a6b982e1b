import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { resolve } from "@/lib/domain/payments/resolve";
import { settle } from "@/lib/domain/payments/settle";
import { get } from "@/lib/domain/subscriptions/get";
import { mailComposition } from "@/lib/flows/mailing/job";
import { runAll } from "../run-once";
import { paymentsOf, press, type Shop } from "./setting";
import {
  assertPeriodsAgree,
  behave,
  newShopIn,
  passDays,
  saveMethod,
  subscribe,
  work,
} from "./subscription-setting";

afterAll(closePool);

const payer = "ana@example.com";

/** The payer opens the page of the period's link. Its payment's ids here and at the gateway. */
async function atLink(shop: Shop, subscription: string) {
  const [link] = (await get(shop.ctx, subscription)).payment_links;
  await press(shop, link?._id ?? "");
  const payment = (await paymentsOf(shop)).find(({ tokenizationId }) => tokenizationId === null);
  if (!payment) throw new Error("the payer did not begin to pay");
  return { id: payment.id, gatewayId: payment.gatewayId ?? "" };
}

type Begun = Awaited<ReturnType<typeof atLink>>;
const otherMoney = (shop: Shop, { id, gatewayId }: Begun) =>
  settle(shop.ctx, id, { kind: "succeeded", gatewayId, amount: 1, currency: "MYR", fee: null });

/** What the gateway makes of a payer's payment that staff resolve after that. */
const ends: Record<string, (shop: Shop, begun: Begun) => Promise<unknown>> = {
  "another amount": otherMoney,
  "no word for a day": async (shop, { id }) => {
    await settle(shop.ctx, id, { kind: "unknown", reason: "No word." });
    await db.execute(
      sql`update payments set (started_at, unknown_since) = row(t, t) from (select now() - interval '25 hours' as t) as moment where id = ${id}`,
    );
  },
  "another amount after its page was closed": async (shop, begun) => {
    await settle(shop.ctx, begun.id, { kind: "cancelled", gatewayId: begun.gatewayId });
    await otherMoney(shop, begun);
  },
};

async function mailKinds(shop: Shop): Promise<string[]> {
  await runAll(mailComposition, shop.ctx.businessId);
  const { rows } = await db.execute<{ kind: string }>(
    sql`select kind from mails where business_id = ${shop.ctx.businessId}`,
  );
  return rows.map(({ kind }) => kind).sort();
}

const withMethods = async (shop: Shop) =>
  (await paymentsOf(shop)).filter(({ tokenizationId }) => tokenizationId !== null).length;

test.each(Object.entries(ends))(
  "a planned charge is dropped once staff resolve what the payer paid by the link meanwhile (%s); a method that is saved after that is charged",
  async (_of, end) => {
    const shop = await newShopIn("UTC");
    const method = await saveMethod(shop, "needs_payer", payer);
    const { _id } = await subscribe(shop, {}, undefined, payer);
    await work(shop);
    const begun = await atLink(shop, _id);
    await end(shop, begun);
    await behave(shop, method, "works");
    await passDays(shop, 1.1);
    await work(shop);
    expect(await withMethods(shop)).toBe(1);
    await resolve(shop.ctx, begun.id, {});
    await passDays(shop, 1.1);
    await work(shop);
    expect(await withMethods(shop)).toBe(1);
    expect(await get(shop.ctx, _id)).toMatchObject({ status: "halted", next_charge_at: null });
    expect(await mailKinds(shop)).toEqual(["payment_failed", "payment_unconfirmed"]);
    await passDays(shop, 5);
    await work(shop);
    expect(await withMethods(shop)).toBe(1);
    await saveMethod(shop, "works", payer);
    await work(shop);
    expect((await get(shop.ctx, _id)).status).toBe("active");
    expect(await withMethods(shop)).toBe(2);
    await assertPeriodsAgree(shop);
  },
);

test.each(Object.entries(ends))(
  "a method that the payer saved while they paid by the link is not charged once staff resolve that payment (%s)",
  async (_of, end) => {
    const shop = await newShopIn("UTC");
    const { _id } = await subscribe(shop, {}, undefined, payer);
    await work(shop);
    const begun = await atLink(shop, _id);
    await end(shop, begun);
    await saveMethod(shop, "works", payer);
    await work(shop);
    expect(await withMethods(shop)).toBe(0);
    await resolve(shop.ctx, begun.id, {});
    await passDays(shop, 1);
    await work(shop);
    expect(await withMethods(shop)).toBe(0);
    expect((await get(shop.ctx, _id)).status).toBe("halted");
    expect(await mailKinds(shop)).toEqual(["payment_due", "payment_unconfirmed"]);
  },
);
