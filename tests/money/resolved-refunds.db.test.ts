import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { get } from "@/lib/domain/payments/get";
import { resolve } from "@/lib/domain/payments/refunds/resolve";
import { findRefund, holdToSend, type RefundRow } from "@/lib/domain/payments/refunds/rows";
import { reconcileRefund } from "@/lib/flows/refund/reconcile";
import { create } from "@/lib/flows/refund/steps";
import { journalOf, script } from "@/lib/gateways/simulator/scripting";
import { assertBooksAgree, newShop, paidPayment, type Shop } from "./setting";

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
    sql`update refunds set started_at = now() - make_interval(hours => ${hours}) where id = ${id}`,
  );
  expect(await read(shop, id)).toMatchObject({ status: "unknown" });
  return { payment, id };
}

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

test("a refund is not resolved while it may be sent again, nor within a day, nor once it is over", async () => {
  const shop = await newShop();
  const young = await unanswered(shop, "error", 23);
  await refused(resolve(shop.ctx, young.id, { outcome: "failed" }));
  const { id } = await unanswered(shop, "error");
  expect(await holdToSend(shop.ctx, id)).toBe(true);
  await refused(resolve(shop.ctx, id, { outcome: "failed" }));
  expect((await reconcileRefund(shop.ctx, await read(shop, id))).status).toBe("succeeded");
  expect(await holdToSend(shop.ctx, id)).toBe(false);
  await refused(resolve(shop.ctx, id, { outcome: "failed" }));
  await expect(
    resolve(shop.ctx, "6740f7a19e3c6f70b2d81a52", { outcome: "failed" }),
  ).rejects.toMatchObject({ status: 404 });
});
