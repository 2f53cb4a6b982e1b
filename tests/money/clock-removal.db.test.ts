import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { cancel, reopen } from "@/lib/domain/payment-links/cancel";
import { create as createLink } from "@/lib/domain/payment-links/create";
import { get as getLink } from "@/lib/domain/payment-links/get";
import { update } from "@/lib/domain/payment-links/update";
import { get as getClock } from "@/lib/domain/test-clocks/get";
import { batchWork } from "@/lib/flows/batch/job";
import { report, start, undo } from "@/lib/flows/batch/steps";
import { removeClock } from "@/lib/flows/clock-advance/steps";
import { settle } from "@/lib/domain/payments/settle";
import { runAll } from "../run-once";
import { paymentsOf, press, type Shop } from "./setting";
import { advanceTo, newClock, newShopIn, subscribe } from "./subscription-setting";

afterAll(closePool);

const fields = { email: "payer@example.com", currency: "MYR", amount: 1_250, title: "Satay" };

const newLink = (shop: Shop, clock: string, more: { expires_at?: string } = {}) =>
  createLink(shop.ctx, { ...fields, ...more, send_email: false, test_clock_id: clock });

/** What still waits for a clock to go on. */
async function followers(clock: string): Promise<unknown[]> {
  const { rows } = await db.execute(sql`
    select id from subscriptions where test_clock_id = ${clock} and status <> 'cancel'
    union all select id from payment_links where test_clock_id = ${clock} and status in ('Active', 'Processing')`);
  return rows;
}

test("what is made while a clock is deleted is refused or cancelled: nothing follows a deleted clock", async () => {
  const shop = await newShopIn("UTC");
  for (let round = 0; round < 8; round++) {
    const clock = await newClock(shop, "2027-01-31T10:00:00");
    await subscribe(shop, {}, clock);
    await newLink(shop, clock);
    const made = [0, 1, 2, 3].flatMap(() => [
      subscribe(shop, {}, clock).then(
        () => 200,
        ({ status }) => status,
      ),
      newLink(shop, clock).then(
        () => 200,
        ({ status }) => status,
      ),
    ]);
    await removeClock(shop.ctx, clock);
    expect([200, 422]).toEqual(expect.arrayContaining(await Promise.all(made)));
    expect(await followers(clock)).toEqual([]);
    await expect(getClock(shop.ctx, clock)).rejects.toMatchObject({ status: 404 });
  }
});

test("a clock stays while a link that follows it is being paid", async () => {
  const shop = await newShopIn("UTC");
  const clock = await newClock(shop, "2027-01-31T10:00:00");
  const { _id } = await newLink(shop, clock);
  await press(shop, _id);
  const [payment] = await paymentsOf(shop);
  await settle(shop.ctx, payment?.id ?? "", { kind: "pending", gatewayId: "sim_1" });
  await expect(removeClock(shop.ctx, clock)).rejects.toMatchObject({ status: 409 });
  expect(await getClock(shop.ctx, clock)).toMatchObject({ _id: clock });
});

test("a link is not reopened once its clock is deleted", async () => {
  const shop = await newShopIn("UTC");
  const clock = await newClock(shop, "2027-01-31T10:00:00");
  const { _id } = await newLink(shop, clock);
  await removeClock(shop.ctx, clock);
  await expect(reopen(shop.ctx, _id)).rejects.toMatchObject({
    status: 409,
    message: "The test clock of this payment link is deleted.",
  });
  expect(await followers(clock)).toEqual([]);
});

test("a link that is reopened while its clock is deleted is refused or cancelled", async () => {
  const shop = await newShopIn("UTC");
  for (let round = 0; round < 8; round++) {
    const clock = await newClock(shop, "2027-01-31T10:00:00");
    const made = await Promise.all([0, 1, 2, 3].map(() => newLink(shop, clock)));
    for (const { _id } of made) await cancel(shop.ctx, _id);
    const reopened = made.map(({ _id }) =>
      reopen(shop.ctx, _id).then(
        () => 200,
        ({ status }) => status,
      ),
    );
    await removeClock(shop.ctx, clock);
    expect([200, 409]).toEqual(expect.arrayContaining(await Promise.all(reopened)));
    expect(await followers(clock)).toEqual([]);
  }
});

test("an expired link is not opened again by a PUT once its clock is deleted", async () => {
  const shop = await newShopIn("UTC");
  const clock = await newClock(shop, "2027-01-31T10:00:00");
  const { _id } = await newLink(shop, clock, { expires_at: "2027-02-01T00:00:00.000000Z" });
  await advanceTo(shop, clock, "2027-03-01T00:00:00");
  await removeClock(shop.ctx, clock);
  for (const more of [{}, { expires_at: "2031-01-31T12:00:00.000000Z" }])
    await expect(update(shop.ctx, _id, { ...fields, ...more })).rejects.toMatchObject({
      status: 409,
      message: "The test clock of this payment link is deleted.",
    });
  expect((await getLink(shop.ctx, _id)).status).toBe("Expired");
  expect(await followers(clock)).toEqual([]);
});

test("neither a batch nor its undo opens a link again once its clock is deleted, and the report says so", async () => {
  const shop = await newShopIn("UTC");
  const clock = await newClock(shop, "2027-01-31T10:00:00");
  const work = () => runAll(batchWork, shop.ctx.businessId);
  const { _id: expired } = await newLink(shop, clock, {
    expires_at: "2027-02-01T00:00:00.000000Z",
  });
  const { _id: cancelled } = await newLink(shop, clock);
  await advanceTo(shop, clock, "2027-03-01T00:00:00");
  const cancellation = await start(shop.ctx, {}, { action: "cancel", ids: [cancelled] });
  await work();
  await removeClock(shop.ctx, clock);
  const extension = await start(
    shop.ctx,
    {},
    { action: "extend", ids: [expired], expires_at: "2031-01-31T12:00:00.000000Z" },
  );
  const { _id: undone } = await undo(shop.ctx, cancellation._id);
  await work();
  expect((await report(shop.ctx, extension._id)).reasons).toEqual([
    { reason: "expired", count: 1 },
  ]);
  expect((await report(shop.ctx, undone)).reasons).toEqual([{ reason: "changed_since", count: 1 }]);
  expect(await followers(clock)).toEqual([]);
});
