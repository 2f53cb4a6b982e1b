import { sql } from "drizzle-orm";
import { afterAll, describe, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { get } from "@/lib/domain/payments/get";
import { resolve } from "@/lib/domain/payments/refunds/resolve";
import { findRefund, noteSentAgain, type RefundRow } from "@/lib/domain/payments/refunds/rows";
import { syncRefundsAndDisputes } from "@/lib/flows/dispute/steps";
import { reconcileRefund } from "@/lib/flows/refund/reconcile";
import { create } from "@/lib/flows/refund/steps";
import { journalOf, script } from "@/lib/gateways/simulator/scripting";
import { newId } from "@/lib/kernel/ids";
import { runningPeer } from "../stripe-peer/running";
import { assertBooksAgree, newShop, paidPayment, type Shop } from "./setting";
import { ledgerOf, newStripeShop, paidAtStripe, type StripeShop } from "./stripe-setting";

const peer = runningPeer();

afterAll(closePool);

/** A refund of 400 that the gateway made or did not make, and of which it says nothing. It began so many hours ago. */
async function unanswered(shop: Shop, effect: "reset" | "error", hours = 25) {
  const { connection } = shop.account;
  const { id: payment } = await paidPayment(shop);
  await script(connection.id, "refund", effect);
  await script(connection.id, "find", "error", { times: 1 });
  const { _id: id } = await create(shop.ctx, payment, { amount: 400 });
  await reconcileRefund(shop.ctx, await read(shop, id));
  await db.execute(
    sql`update refunds set (started_at, unknown_since) = row(t, t) from (select now() - make_interval(hours => ${hours}) as t) as moment where id = ${id}`,
  );
  expect(await read(shop, id)).toMatchObject({ status: "unknown" });
  return { payment, id };
}

const sentBefore = (id: string, minutes: number) =>
  db.execute(
    sql`update refunds set started_at = now() - make_interval(mins => ${minutes}) where id = ${id}`,
  );

async function read(shop: Shop, id: string): Promise<RefundRow> {
  const row = await findRefund(shop.ctx, id);
  if (!row) throw new Error("no refund");
  return row;
}

const sent = async (shop: Shop) =>
  (await journalOf(shop.account.connection.id)).filter(({ type }) => type === "refund").length;

const refused = (promise: Promise<unknown>) =>
  expect(promise).rejects.toMatchObject({ status: 409, code: "conflict" });

test("a refund that went back and stayed unknown is booked once staff say so, and no second time", async () => {
  const shop = await newShop();
  const { payment, id } = await unanswered(shop, "reset");
  expect(await resolve(shop.ctx, id, { outcome: "succeeded" })).toMatchObject({
    status: "succeeded",
    message: null,
  });
  expect(await get(shop.ctx, payment)).toMatchObject({
    status: "partially_refunded",
    refunded_amount: 400,
  });
  await refused(resolve(shop.ctx, id, { outcome: "succeeded" }));
  await refused(resolve(shop.ctx, id, { outcome: "failed" }));
  await reconcileRefund(shop.ctx, await read(shop, id));
  await assertBooksAgree(shop);
});

test("a refund that staff found to have failed frees its amount and is never sent again, even by a look-up that began before", async () => {
  const shop = await newShop();
  const { payment, id } = await unanswered(shop, "error");
  const before = await read(shop, id);
  expect(await resolve(shop.ctx, id, { outcome: "failed" })).toMatchObject({ status: "failed" });
  expect((await reconcileRefund(shop.ctx, before)).status).toBe("failed");
  expect(await sent(shop)).toBe(0);
  expect(await create(shop.ctx, payment, {})).toMatchObject({
    status: "succeeded",
    amount: 1_000,
  });
  expect(await sent(shop)).toBe(1);
  await assertBooksAgree(shop);
});

test("a refund that is sent again cannot be resolved while that may be on its way, whatever other look-ups find meanwhile", async () => {
  const shop = await newShop();
  const { id } = await unanswered(shop, "error");
  const seen = await read(shop, id);
  expect(await noteSentAgain(shop.ctx, id)).toBe(true);
  await script(shop.account.connection.id, "find", "error", { times: 1 });
  expect((await reconcileRefund(shop.ctx, seen)).status).toBe("unknown");
  await refused(resolve(shop.ctx, id, { outcome: "failed" }));
  await sentBefore(id, 60);
  expect((await reconcileRefund(shop.ctx, await read(shop, id))).status).toBe("succeeded");
  expect(await noteSentAgain(shop.ctx, id)).toBe(false);
  await refused(resolve(shop.ctx, id, { outcome: "failed" }));
});

test("a refund that the gateway made is booked once although staff said, during a look-up, that it had failed", async () => {
  const shop = await newShop();
  const { payment, id } = await unanswered(shop, "reset");
  const before = await read(shop, id);
  await resolve(shop.ctx, id, { outcome: "failed" });
  for (let round = 0; round < 2; round++)
    expect((await reconcileRefund(shop.ctx, before)).status).toBe("succeeded");
  expect(await get(shop.ctx, payment)).toMatchObject({ refunded_amount: 400 });
  await assertBooksAgree(shop);
});

test.each([false, true])(
  "a refund that never gets an answer is sent once an hour after a day, and resolved in between (of an older process: %s)",
  async (isOlder) => {
    const shop = await newShop();
    const { id } = await unanswered(shop, "error");
    if (isOlder) await db.execute(sql`update refunds set unknown_since = null where id = ${id}`);
    await script(shop.account.connection.id, "refund", "error");
    expect((await reconcileRefund(shop.ctx, await read(shop, id))).status).toBe("unknown");
    await refused(resolve(shop.ctx, id, { outcome: "failed" }));
    await sentBefore(id, 15);
    expect((await reconcileRefund(shop.ctx, await read(shop, id))).status).toBe("unknown");
    expect(await sent(shop)).toBe(0);
    expect(await resolve(shop.ctx, id, { outcome: "failed" })).toMatchObject({ status: "failed" });
  },
);

test("a refund is not resolved within a day, and one that does not exist is not found", async () => {
  const shop = await newShop();
  const young = await unanswered(shop, "error", 23);
  await refused(resolve(shop.ctx, young.id, { outcome: "failed" }));
  await expect(
    resolve(shop.ctx, "6740f7a19e3c6f70b2d81a52", { outcome: "failed" }),
  ).rejects.toMatchObject({ status: 404 });
});

/** A refund of 400 of a payment at Stripe that has been refunded in part. Stripe does not have it, and has been silent about it for a day. */
async function silentFor({ ctx }: StripeShop, payment: string): Promise<string> {
  const id = newId();
  await db.execute(
    sql`insert into refunds (business_id, mode, id, payment_id, amount, currency, gateway, connection_id, actor, status, started_at, next_check_at)
        select business_id, mode, ${id}, payment_id, 400, currency, gateway, connection_id, actor, 'unknown', now() - interval '25 hours', now() + interval '1 year'
        from refunds where business_id = ${ctx.businessId} and payment_id = ${payment}`,
  );
  return id;
}

test.each([
  ["failed", "succeeded", 500],
  ["succeeded", "failed", 100],
] as const)(
  "a refund that staff found to have %s, while a look-up at Stripe found that it had %s, is booked as Stripe lists it",
  async (outcome, listed, refunds) => {
    const shop = await newStripeShop(peer);
    const payment = await paidAtStripe(shop, 1_000);
    await create(shop.ctx, payment.id, { amount: 100 });
    const id = await silentFor(shop, payment.id);
    const before = await findRefund(shop.ctx, id);
    await resolve(shop.ctx, id, { outcome });
    const made = shop.bank.refund(payment.gatewayId ?? "", 400, { kutip_refund: id });
    if (listed === "failed") shop.bank.failRefund(made);
    for (let round = 0; round < 2; round++)
      expect((await reconcileRefund(shop.ctx, before as RefundRow)).status).toBe(listed);
    expect((await ledgerOf(shop)).refunds).toBe(refunds);
  },
);

test("a refund that staff found to have succeeded keeps no other one of Stripe's dashboard from being booked", async () => {
  const shop = await newStripeShop(peer);
  const payment = await paidAtStripe(shop, 1_000);
  await create(shop.ctx, payment.id, { amount: 100 });
  const id = await silentFor(shop, payment.id);
  await resolve(shop.ctx, id, { outcome: "succeeded" });
  const refunded = async () => (await get(shop.ctx, payment.id)).refunded_amount;
  shop.bank.refund(payment.gatewayId ?? "", 300, {});
  for (let round = 0; round < 2; round++)
    expect(await syncRefundsAndDisputes(shop.ctx, payment.id)).toMatchObject({ problems: [] });
  expect(await refunded()).toBe(800);
  // One of its amount is the same money: staff made it there, since the one that was sent never arrived.
  shop.bank.refund(payment.gatewayId ?? "", 400, {});
  expect(await syncRefundsAndDisputes(shop.ctx, payment.id)).toMatchObject({ problems: [] });
  expect(await refunded()).toBe(800);
  expect((await ledgerOf(shop)).refunds).toBe(800);
});

describe("a refund that staff found to have failed and that Stripe lists as done", () => {
  async function listed(left: number) {
    const shop = await newStripeShop(peer);
    const payment = await paidAtStripe(shop, 1_000);
    await create(shop.ctx, payment.id, { amount: 1_000 - left });
    const id = await silentFor(shop, payment.id);
    await resolve(shop.ctx, id, { outcome: "failed" });
    return { shop, payment, id };
  }
  const statusOf = async ({ ctx }: StripeShop, id: string) => (await findRefund(ctx, id))?.status;

  test("is booked after all, once", async () => {
    const { shop, payment, id } = await listed(900);
    shop.bank.refund(payment.gatewayId ?? "", 400, { kutip_refund: id });
    for (let round = 0; round < 2; round++)
      expect(await syncRefundsAndDisputes(shop.ctx, payment.id)).toMatchObject({ problems: [] });
    expect(await statusOf(shop, id)).toBe("succeeded");
    expect(await get(shop.ctx, payment.id)).toMatchObject({ refunded_amount: 500 });
    expect((await ledgerOf(shop)).refunds).toBe(500);
  });

  test("is left to staff where it no longer fits", async () => {
    const { shop, payment, id } = await listed(900);
    shop.bank.refund(payment.gatewayId ?? "", 400, { kutip_refund: id });
    await db.execute(
      sql`update refunds set amount = 700 where payment_id = ${payment.id} and status = 'succeeded'`,
    );
    expect(await syncRefundsAndDisputes(shop.ctx, payment.id)).toMatchObject({
      problems: expect.arrayContaining([expect.stringContaining("no longer fits what is left")]),
    });
    expect(await statusOf(shop, id)).toBe("failed");
  });
});
