import { sql } from "drizzle-orm";
import { afterAll, expect, it } from "vitest";
import { closePool, db } from "@/db/client";
import { updateBusiness } from "@/lib/flows/business-change/steps";
import { mailComposition } from "@/lib/flows/mailing/job";
import { removeClock } from "@/lib/flows/clock-advance/steps";
import { renewal } from "@/lib/flows/renewal/job";
import { get } from "@/lib/domain/subscriptions/get";
import { update } from "@/lib/flows/subscription-change/update";
import { get as getClock } from "@/lib/domain/test-clocks/get";
import { giveClockBack, takeClock } from "@/lib/domain/test-clocks/rows";
import { script, setTimes } from "@/lib/gateways/simulator/scripting";
import { Problem } from "@/lib/kernel/problem";
import { choose, paymentsOf, press, type Shop } from "./setting";
import {
  advanceTo,
  assertPeriodsAgree,
  becomes,
  behave,
  eventsOf,
  follow,
  newClock,
  newShopIn,
  periodsOf,
  saveMethod,
  subscribe,
} from "./subscription-setting";
import { runOnce } from "../run-once";

afterAll(closePool);

/** The payer's mails in order: moment to the minute, and kind. */
async function mailsOf(shop: Shop): Promise<string[]> {
  const read = async () => {
    await runOnce(mailComposition, shop.ctx.businessId);
    const { rows } = await db.execute<{ line: string; left: number }>(sql`
      select to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') || ' ' || m.kind as line from mails m join events e on e.id = m.cause and e.business_id = m.business_id
      where m.business_id = ${shop.ctx.businessId} order by e.xid, e.seq`);
    return rows.map(({ line }) => line);
  };
  const { rows } = await db.execute<{ wanted: number }>(
    sql`select count(*)::int as wanted from events where business_id = ${shop.ctx.businessId} and mail is not null`,
  );
  await expect
    .poll(async () => (await read()).length, { timeout: 60_000, interval: 20 })
    .toBe(rows[0]?.wanted);
  return read();
}

it("a year from 31 January with declines: the exact days, retries, events and mails, in order", async () => {
  const shop = await newShopIn("Asia/Kuala_Lumpur");
  const clock = await newClock(shop, "2027-01-31T02:00:00");
  const method = await saveMethod(shop);
  const { _id } = await subscribe(shop, {}, clock);
  await advanceTo(shop, clock, "2027-03-01T00:00:00");
  // The charge of 31 March and its first retry are declined, the second retry works.
  await behave(shop, method, "declines", 2);
  await advanceTo(shop, clock, "2027-05-01T00:00:00");
  // All of May's are declined.
  await behave(shop, method, "declines", 5);
  await advanceTo(shop, clock, "2027-06-20T00:00:00");
  expect((await get(shop.ctx, _id)).status).toBe("halted");
  // The payer pays by the link, long after; what went by while it was halted is let go.
  const link = (await get(shop.ctx, _id)).payment_links[0];
  await choose(shop, (await press(shop, link?._id ?? "")) ?? "", "approve");
  expect(await becomes(shop, _id, "active")).toMatchObject({
    next_charge_at: "2027-06-29T16:00:00.000000Z",
  });
  await behave(shop, method, "works");
  await advanceTo(shop, clock, "2028-01-31T02:00:00");
  await update(shop.ctx, _id, { status: "cancel" });
  await advanceTo(shop, clock, "2028-06-01T00:00:00");

  expect(await eventsOf(shop)).toEqual([
    "2027-01-31 02:00 subscription.created",
    "2027-01-31 02:00 payment.succeeded",
    "2027-01-31 02:00 subscription.activated",
    "2027-02-27 16:00 payment.succeeded",
    "2027-03-30 16:00 payment.failed",
    "2027-03-30 16:00 payment_link.created",
    "2027-03-30 16:00 subscription.past_due",
    "2027-03-31 16:00 payment.failed",
    "2027-03-31 16:00 subscription.payment_due",
    "2027-04-02 16:00 payment.succeeded",
    "2027-04-02 16:00 payment_link.paid",
    "2027-04-02 16:00 subscription.activated",
    "2027-04-29 16:00 payment.succeeded",
    "2027-05-30 16:00 payment.failed",
    "2027-05-30 16:00 payment_link.created",
    "2027-05-30 16:00 subscription.past_due",
    "2027-05-31 16:00 payment.failed",
    "2027-05-31 16:00 subscription.payment_due",
    "2027-06-02 16:00 payment.failed",
    "2027-06-02 16:00 subscription.payment_due",
    "2027-06-04 16:00 payment.failed",
    "2027-06-04 16:00 subscription.payment_due",
    "2027-06-06 16:00 payment.failed",
    "2027-06-06 16:00 subscription.halted",
    "2027-06-20 00:00 payment.succeeded",
    "2027-06-20 00:00 payment_link.paid",
    "2027-06-20 00:00 subscription.activated",
    ...[
      "2027-06-29",
      "2027-07-30",
      "2027-08-30",
      "2027-09-29",
      "2027-10-30",
      "2027-11-29",
      "2027-12-30",
      "2028-01-30",
    ].map((day) => `${day} 16:00 payment.succeeded`),
    "2028-01-31 02:00 subscription.cancelled",
  ]);
  expect(await mailsOf(shop)).toEqual([
    "2027-01-31 02:00 subscription_receipt",
    "2027-02-27 16:00 subscription_receipt",
    "2027-03-30 16:00 payment_failed",
    "2027-03-31 16:00 payment_failed",
    "2027-04-02 16:00 receipt",
    "2027-04-29 16:00 subscription_receipt",
    ...["2027-05-30", "2027-05-31", "2027-06-02", "2027-06-04"].map(
      (day) => `${day} 16:00 payment_failed`,
    ),
    "2027-06-06 16:00 subscription_halted",
    "2027-06-20 00:00 receipt",
    ...[
      "2027-06-29",
      "2027-07-30",
      "2027-08-30",
      "2027-09-29",
      "2027-10-30",
      "2027-11-29",
      "2027-12-30",
      "2028-01-30",
    ].map((day) => `${day} 16:00 subscription_receipt`),
    "2028-01-31 02:00 subscription_cancelled",
  ]);
  const payments = await paymentsOf(shop);
  expect(
    payments.every(
      (payment) =>
        payment.createdAt >= "2027-01-31" &&
        payment.createdAt < "2028-02" &&
        payment.updatedAt >= payment.createdAt,
    ),
  ).toBe(true);
  await assertPeriodsAgree(shop);
});

it("a yearly one from 29 February is charged on 28 February until the next leap year", async () => {
  const shop = await newShopIn("UTC");
  const clock = await newClock(shop, "2028-02-29T00:00:00");
  await saveMethod(shop);
  await subscribe(shop, { frequency: "yearly" }, clock);
  await advanceTo(shop, clock, "2032-12-31T00:00:00");
  const charged = (await eventsOf(shop))
    .filter((line) => line.endsWith("payment.succeeded"))
    .map((line) => line.slice(0, 16));
  expect(charged).toEqual([
    "2028-02-29 00:00",
    "2029-02-28 00:00",
    "2030-02-28 00:00",
    "2031-02-28 00:00",
    "2032-02-29 00:00",
  ]);
  await assertPeriodsAgree(shop);
});

it.each([
  ["2027-03-13", ["2027-03-13 05:00", "2027-03-14 05:00", "2027-03-15 04:00", "2027-03-16 04:00"]],
  ["2027-11-06", ["2027-11-06 04:00", "2027-11-07 04:00", "2027-11-08 05:00", "2027-11-09 05:00"]],
])(
  "in a zone with summer time each day from %s is charged at its own midnight, once, also on the day of 23 or 25 hours",
  async (start, moments) => {
    const shop = await newShopIn("America/New_York");
    const clock = await newClock(shop, `${start.slice(0, 8)}01T12:00:00`);
    await saveMethod(shop);
    await subscribe(shop, { frequency: "daily", date_charge_start: start }, clock);
    await advanceTo(shop, clock, `${moments.at(-1)?.slice(0, 10)}T12:00:00`);
    expect(
      (await eventsOf(shop))
        .filter((line) => line.endsWith("payment.succeeded"))
        .map((line) => line.slice(0, 16)),
    ).toEqual(moments);
    expect((await periodsOf(shop)).map(({ state }) => state)).toEqual([
      "paid",
      "paid",
      "paid",
      "paid",
      "due",
    ]);
    await assertPeriodsAgree(shop);
  },
);

it("without a saved method the period's link is mailed, three days later it is past due, and paying it brings the subscription on", async () => {
  const shop = await newShopIn("UTC");
  const clock = await newClock(shop, "2027-01-31T10:00:00");
  const { _id } = await subscribe(shop, {}, clock);
  await advanceTo(shop, clock, "2027-02-10T00:00:00");
  const late = await get(shop.ctx, _id);
  expect(late).toMatchObject({
    status: "past_due",
    current_period_start: "2027-01-31",
    current_period_end: "2027-02-27",
    next_charge_at: null,
  });
  expect(late.payment_links).toMatchObject([
    {
      status: "Active",
      period_start: "2027-01-31",
      period_end: "2027-02-27",
      created_at: "2027-01-31T10:00:00.000000Z",
    },
  ]);
  await choose(shop, (await press(shop, late.payment_links[0]?._id ?? "")) ?? "", "approve");
  expect(await becomes(shop, _id, "active")).toMatchObject({
    next_charge_at: "2027-02-28T00:00:00.000000Z",
  });
  expect(await eventsOf(shop)).toEqual([
    "2027-01-31 10:00 subscription.created",
    "2027-01-31 10:00 payment_link.created",
    "2027-01-31 10:00 subscription.payment_due",
    "2027-02-03 10:00 subscription.past_due",
    "2027-02-10 00:00 payment.succeeded",
    "2027-02-10 00:00 payment_link.paid",
    "2027-02-10 00:00 subscription.activated",
  ]);
  expect(await mailsOf(shop)).toEqual([
    "2027-01-31 10:00 payment_due",
    "2027-02-03 10:00 payment_overdue",
    "2027-02-10 00:00 receipt",
  ]);
});

it("a method saved later heals a halted subscription at once, as of the clock's time", async () => {
  const shop = await newShopIn("UTC");
  const clock = await newClock(shop, "2027-01-31T10:00:00");
  await saveMethod(shop, "declines_hard");
  const { _id } = await subscribe(shop, {}, clock);
  await advanceTo(shop, clock, "2027-02-05T00:00:00");
  expect((await get(shop.ctx, _id)).status).toBe("halted");
  await saveMethod(shop);
  await becomes(shop, _id, "active");
  expect((await eventsOf(shop)).slice(-4)).toEqual([
    "2027-02-05 00:00 subscription.updated",
    "2027-02-05 00:00 payment.succeeded",
    "2027-02-05 00:00 payment_link.paid",
    "2027-02-05 00:00 subscription.activated",
  ]);
  await assertPeriodsAgree(shop);
});

it("what was saved just before an advance comes first, as of where the clock stood: no period is passed over", async () => {
  const shop = await newShopIn("UTC");
  const clock = await newClock(shop, "2027-01-31T10:00:00");
  await saveMethod(shop, "declines_hard");
  await subscribe(shop, {}, clock);
  await advanceTo(shop, clock, "2027-01-31T10:00:00");
  await saveMethod(shop);
  await advanceTo(shop, clock, "2027-05-15T00:00:00");
  const paid = (await paymentsOf(shop))
    .filter(({ status }) => status === "succeeded")
    .map(({ succeededAt }) => succeededAt?.slice(0, 16));
  expect(paid).toEqual([
    "2027-01-31T10:00",
    "2027-02-28T00:00",
    "2027-03-31T00:00",
    "2027-04-30T00:00",
  ]);
  await follow(shop);
  expect((await eventsOf(shop)).filter((line) => line.endsWith("subscription.updated"))).toEqual([
    "2027-01-31 10:00 subscription.updated",
  ]);
  await assertPeriodsAgree(shop);
});

it("what was paid just before an advance comes first, as of where the clock stood", async () => {
  const shop = await newShopIn("UTC");
  const clock = await newClock(shop, "2027-01-31T10:00:00");
  const { _id } = await subscribe(shop, {}, clock);
  await advanceTo(shop, clock, "2027-01-31T10:00:00");
  const link = (await get(shop.ctx, _id)).payment_links[0];
  await choose(shop, (await press(shop, link?._id ?? "")) ?? "", "approve");
  await advanceTo(shop, clock, "2027-03-01T00:00:00");
  expect((await eventsOf(shop)).slice(-3)).toEqual([
    "2027-01-31 10:00 subscription.activated",
    "2027-02-28 00:00 payment_link.created",
    "2027-02-28 00:00 subscription.payment_due",
  ]);
  await assertPeriodsAgree(shop);
});

it("an advance waits for the worker that looks at the clock just then", async () => {
  const shop = await newShopIn("UTC");
  const clock = await newClock(shop, "2027-01-31T10:00:00");
  const stands = await getClock(shop.ctx, clock);
  const held = await takeClock(shop.ctx, db, clock);
  if (!held) throw new Error("the clock was not free");
  const advanced = advanceTo(shop, clock, "2027-03-01T00:00:00");
  let looks = 0;
  await expect
    .poll(async () => ((await getClock(shop.ctx, clock)).now === stands.now ? ++looks : 0), {
      interval: 10,
    })
    .toBeGreaterThan(20);
  await giveClockBack(shop.ctx, db, held);
  await advanced;
  expect(await getClock(shop.ctx, clock)).toMatchObject({ now: "2027-03-01T00:00:00.000000Z" });
});

it("an advance settles pending charges and finds lost answers at once", async () => {
  const shop = await newShopIn("UTC");
  await setTimes(shop.account.connection, { answerLimitMs: 20 });
  const clock = await newClock(shop, "2027-01-31T10:00:00");
  const method = await saveMethod(shop, "pending");
  const { _id } = await subscribe(shop, {}, clock);
  await advanceTo(shop, clock, "2027-02-15T00:00:00");
  await behave(shop, method, "works");
  await script(shop.account.connection.id, "charge", "hang");
  await advanceTo(shop, clock, "2027-03-15T00:00:00");
  await script(shop.account.connection.id, "charge", "error");
  await advanceTo(shop, clock, "2027-04-15T00:00:00");
  expect(await get(shop.ctx, _id)).toMatchObject({
    status: "active",
    next_charge_at: "2027-04-30T00:00:00.000000Z",
  });
  expect((await paymentsOf(shop)).map((payment) => [payment.status, payment.succeededAt])).toEqual([
    ["succeeded", "2027-01-31T10:00:00.000000Z"],
    ["succeeded", "2027-02-28T00:00:00.000000Z"],
    ["succeeded", "2027-03-31T00:00:00.000000Z"],
  ]);
  await assertPeriodsAgree(shop);
});

it("retries come on the days the business has chosen", async () => {
  const shop = await newShopIn("UTC");
  await updateBusiness(shop.ctx, {
    name: "Night Market",
    time_zone: "UTC",
    default_currency: "MYR",
    retry_days: [2, 10],
  });
  const clock = await newClock(shop, "2027-01-31T10:00:00");
  await saveMethod(shop, "needs_payer");
  await subscribe(shop, {}, clock);
  await advanceTo(shop, clock, "2027-06-01T00:00:00");
  expect(
    (await eventsOf(shop)).filter(
      (line) => line.endsWith("payment.failed") || line.endsWith("halted"),
    ),
  ).toEqual([
    "2027-01-31 10:00 payment.failed",
    "2027-02-02 10:00 payment.failed",
    "2027-02-10 10:00 payment.failed",
    "2027-02-10 10:00 subscription.halted",
  ]);
});

it("workers leave what follows a clock alone; the clock goes forward only, and of two advances at once one runs", async () => {
  const shop = await newShopIn("UTC");
  const clock = await newClock(shop, "2020-01-31T10:00:00");
  await saveMethod(shop);
  const { _id } = await subscribe(shop, {}, clock);
  expect(await runOnce(renewal, shop.ctx.businessId)).toBe(0);
  expect((await get(shop.ctx, _id)).status).toBe("created");
  await expect(advanceTo(shop, clock, "2020-01-31T09:59:59")).rejects.toMatchObject({
    status: 422,
  });
  const both = await Promise.allSettled([
    advanceTo(shop, clock, "2021-01-31T10:00:00"),
    advanceTo(shop, clock, "2021-01-31T10:00:00"),
  ]);
  const refused = both.filter((one) => one.status === "rejected");
  expect(refused.every((one) => one.reason instanceof Problem && one.reason.status === 409)).toBe(
    true,
  );
  expect(refused.length).toBeLessThan(2);
  expect(await getClock(shop.ctx, clock)).toMatchObject({
    now: "2021-01-31T10:00:00.000000Z",
    status: "ready",
  });
  expect((await paymentsOf(shop)).length).toBe(13);
  await assertPeriodsAgree(shop);
});

it("deleting a clock cancels its subscriptions, and a deleted clock takes no new ones", async () => {
  const shop = await newShopIn("UTC");
  const clock = await newClock(shop, "2027-01-31T10:00:00");
  const { _id } = await subscribe(shop, {}, clock);
  await removeClock(shop.ctx, clock);
  expect(await get(shop.ctx, _id)).toMatchObject({
    status: "cancel",
    cancelled_at: "2027-01-31T10:00:00.000000Z",
  });
  await expect(getClock(shop.ctx, clock)).rejects.toMatchObject({ status: 404 });
  await expect(subscribe(shop, {}, clock)).rejects.toMatchObject({ status: 422 });
  expect((await eventsOf(shop)).at(-1)).toBe("2027-01-31 10:00 subscription.cancelled");
});
