import { sql } from "drizzle-orm";
import { afterAll, describe, expect, it } from "vitest";
import { closePool, db, withTransaction } from "@/db/client";
import { advance } from "@/lib/flows/renewal/apply";
import { lockPeriod, lockTerms, duePeriods } from "@/lib/domain/subscriptions/period-rows";
import { renewal } from "@/lib/flows/renewal/job";
import { runPeriod } from "@/lib/flows/renewal/steps";
import { get } from "@/lib/domain/subscriptions/get";
import { remove } from "@/lib/flows/subscription-change/remove";
import { update } from "@/lib/flows/subscription-change/update";
import { list as listTokens } from "@/lib/domain/tokenizations/list";
import { revoke } from "@/lib/domain/tokenizations/revoke";
import { journalOf, script, setTimes } from "@/lib/gateways/simulator/scripting";
import { newId } from "@/lib/kernel/ids";
import { choose, comeToRest, paymentsOf, press, type Shop } from "./setting";
import {
  assertPeriodsAgree,
  behave,
  eventsOf,
  follow,
  newShopIn,
  passDays,
  periodsOf,
  saveMethod,
  subscribe,
  work,
} from "./subscription-setting";
import { claimOf, runOnce } from "../run-once";

afterAll(closePool);

const typesOf = async (shop: Shop) => (await eventsOf(shop)).map((line) => line.slice(17));
const statusOf = async (shop: Shop, id: string) => (await get(shop.ctx, id)).status;
const chargesAt = async (shop: Shop) =>
  (await journalOf(shop.account.connection.id)).filter(({ type }) => type === "charge").length;

describe("a subscription", () => {
  it("is created, then charged by a job and active, its next period planned", async () => {
    const shop = await newShopIn("UTC");
    await saveMethod(shop);
    const made = await subscribe(shop);
    expect(made).toMatchObject({
      status: "created",
      current_period_start: null,
      payment_links: [],
    });
    expect(made.next_charge_at).toBe(made.created_at);
    await work(shop);
    const after = await get(shop.ctx, made._id);
    expect(after).toMatchObject({
      status: "active",
      current_period_start: made.created_at.slice(0, 10),
    });
    expect(after.next_charge_at?.slice(0, 10)).toBe(
      new Date(Date.parse(`${after.current_period_end}T00:00:00Z`) + 86_400_000)
        .toISOString()
        .slice(0, 10),
    );
    expect(await typesOf(shop)).toEqual([
      "subscription.created",
      "payment.succeeded",
      "subscription.activated",
    ]);
    await assertPeriodsAgree(shop);
  });

  it("whose package begins later is not charged before", async () => {
    const shop = await newShopIn("Pacific/Auckland");
    await saveMethod(shop);
    const made = await subscribe(shop, { date_charge_start: "2099-07-01" });
    expect(made.next_charge_at).toBe("2099-06-30T12:00:00.000000Z");
    await work(shop);
    expect(await paymentsOf(shop)).toEqual([]);
  });

  it("whose charges fail is tried again after 1, 3, 5 and 7 days, each time with a mail and one link, and then halted", async () => {
    const shop = await newShopIn("UTC");
    await saveMethod(shop, "needs_payer");
    const { _id } = await subscribe(shop);
    await work(shop);
    for (const days of [1, 2, 2]) {
      expect(await statusOf(shop, _id)).toBe("past_due");
      await passDays(shop, days - 0.5);
      await work(shop);
      await passDays(shop, 0.6);
      await work(shop);
    }
    expect(await paymentsOf(shop)).toHaveLength(4);
    await passDays(shop, 2);
    await work(shop);
    expect(await statusOf(shop, _id)).toBe("halted");
    await passDays(shop, 30);
    await work(shop);
    expect(await typesOf(shop)).toEqual([
      "subscription.created",
      "payment.failed",
      "payment_link.created",
      "subscription.past_due",
      ...[1, 2, 3].flatMap(() => ["payment.failed", "subscription.payment_due"]),
      "payment.failed",
      "subscription.halted",
    ]);
    expect((await get(shop.ctx, _id)).payment_links).toHaveLength(1);
  });

  it.each(["past_due", "halted"])(
    "that is %s becomes active when its link is paid, and its method is not charged for that period again",
    async (status) => {
      const shop = await newShopIn("UTC");
      const method = await saveMethod(shop, status === "halted" ? "declines_hard" : "declines");
      await behave(shop, method, status === "halted" ? "declines_hard" : "declines", 1);
      const { _id } = await subscribe(shop);
      await work(shop);
      expect(await statusOf(shop, _id)).toBe(status);
      const link = (await get(shop.ctx, _id)).payment_links[0]?._id ?? "";
      await choose(shop, (await press(shop, link)) ?? "", "approve");
      await work(shop);
      await passDays(shop, 8);
      expect(await statusOf(shop, _id)).toBe("active");
      expect(await chargesAt(shop)).toBe(1);
      await assertPeriodsAgree(shop);
    },
  );

  it("that waits for its link is charged at once when the payer saves a method, unless they are at the gateway just then", async () => {
    const shop = await newShopIn("UTC");
    const { _id } = await subscribe(shop);
    await work(shop);
    const [link] = (await get(shop.ctx, _id)).payment_links;
    const session = await press(shop, link?._id ?? "");
    await saveMethod(shop);
    await work(shop);
    expect((await get(shop.ctx, _id)).tokenization_id).not.toBeNull();
    expect(await chargesAt(shop)).toBe(0);
    await choose(shop, session ?? "", "decline");
    await passDays(shop, 1);
    await work(shop);
    expect((await get(shop.ctx, _id)).payment_links[0]).toMatchObject({ status: "Paid" });
    expect(await statusOf(shop, _id)).toBe("active");
    await assertPeriodsAgree(shop);
  });

  it("that is given another address charges nothing that payer saved before, but asks them", async () => {
    const shop = await newShopIn("UTC");
    await saveMethod(shop, "works", "other@example.com");
    const { _id } = await subscribe(shop);
    await work(shop);
    await update(shop.ctx, _id, { email: "other@example.com" });
    await passDays(shop, 40);
    await work(shop);
    expect(await chargesAt(shop)).toBe(0);
    expect((await get(shop.ctx, _id)).tokenization_id).toBeNull();
    await saveMethod(shop, "works", "other@example.com");
    await work(shop);
    expect(await chargesAt(shop)).toBe(1);
  });

  it("whose method was revoked gets a link instead, whatever else the payer has saved", async () => {
    const shop = await newShopIn("UTC");
    await saveMethod(shop);
    await saveMethod(shop);
    const { _id } = await subscribe(shop);
    const [token] = (await listTokens(shop.ctx, {}, new URLSearchParams())).data;
    await revoke(shop.ctx, token?._id ?? "");
    await work(shop);
    expect(await get(shop.ctx, _id)).toMatchObject({
      status: "created",
      payment_links: [{ status: "Active" }],
    });
    expect(await typesOf(shop)).toEqual([
      "subscription.created",
      "payment_link.created",
      "subscription.payment_due",
    ]);
  });

  it.each(["hang", "reset", "error"] as const)(
    "whose gateway gives no answer (%s) is not charged again but looked up, and then active",
    async (effect) => {
      const shop = await newShopIn("UTC");
      await setTimes(shop.account.connection, { answerLimitMs: 20 });
      await saveMethod(shop);
      const { _id } = await subscribe(shop);
      await script(shop.account.connection.id, "charge", effect);
      await work(shop);
      expect((await paymentsOf(shop)).map(({ status }) => status)).toEqual(["unknown"]);
      await passDays(shop, 1);
      await work(shop);
      expect(await paymentsOf(shop)).toHaveLength(1);
      await comeToRest(shop);
      await work(shop);
      expect(await statusOf(shop, _id)).toBe("active");
      await assertPeriodsAgree(shop);
    },
  );
});

/** As if the subscription had been created so many days ago and no worker had run since. */
async function backdate(shop: Shop, days: number): Promise<void> {
  await db.execute(
    sql`update subscriptions set anchor = anchor - ${days}::int where business_id = ${shop.ctx.businessId}`,
  );
  await db.execute(sql`
    update subscription_periods set period_start = period_start - ${days}::int, period_end = period_end - ${days}::int,
      due_at = (select due_at - make_interval(days => ${days})), next_attempt_at = (select next_attempt_at - make_interval(days => ${days}))
    where business_id = ${shop.ctx.businessId}`);
}

describe("workers", () => {
  it("catch up after an outage oldest first, one period at a time, none twice and none before the subscription", async () => {
    const shop = await newShopIn("UTC");
    await saveMethod(shop);
    const { created_at } = await subscribe(shop, { frequency: "daily" });
    await backdate(shop, 6);
    await work(shop);
    const day = (back: number) =>
      new Date(Date.parse(created_at) - back * 86_400_000).toISOString().slice(0, 10);
    const payments = await paymentsOf(shop);
    expect(payments.map(({ periodStart }) => periodStart)).toEqual([6, 5, 4, 3, 2, 1, 0].map(day));
    expect(
      payments
        .slice(1)
        .every((payment, index) => payment.createdAt >= (payments[index]?.succeededAt ?? "")),
    ).toBe(true);
    expect((await periodsOf(shop)).at(-1)).toMatchObject({ start: day(-1), state: "due" });
    await assertPeriodsAgree(shop);
  });

  it("eight at once charge each of forty renewals once", async () => {
    const shop = await newShopIn("UTC");
    for (let payer = 0; payer < 40; payer++) {
      const email = `${newId()}@example.com`;
      await saveMethod(shop, "works", email);
      await subscribe(shop, {}, undefined, email);
    }
    await Promise.all(Array.from({ length: 8 }, () => work(shop)));
    expect(await chargesAt(shop)).toBe(40);
    expect((await periodsOf(shop)).filter(({ state }) => state === "paid")).toHaveLength(40);
    await assertPeriodsAgree(shop);
  }, 60_000);

  it("that wake after their lease was over, before or after another one charged, do nothing", async () => {
    const shop = await newShopIn("UTC");
    await saveMethod(shop);
    await subscribe(shop);
    const [stale] = await claimOf(duePeriods, shop.ctx.businessId);
    await passDays(shop, 0);
    const [fresh] = await claimOf(duePeriods, shop.ctx.businessId);
    if (!stale || !fresh) throw new Error("the period could not be claimed twice");
    expect(fresh.fence).toBe(stale.fence + 1);
    await runPeriod(shop.ctx, stale);
    expect(await paymentsOf(shop)).toEqual([]);
    await runPeriod(shop.ctx, fresh);
    await runPeriod(shop.ctx, stale);
    expect(await chargesAt(shop)).toBe(1);
    await assertPeriodsAgree(shop);
  });

  it("that wake with an old unfinished charge send it under its own key: the money moves once", async () => {
    const shop = await newShopIn("UTC");
    await setTimes(shop.account.connection, { answerLimitMs: 20 });
    await saveMethod(shop);
    await subscribe(shop);
    await script(shop.account.connection.id, "charge", "hang");
    const [claimed] = await claimOf(duePeriods, shop.ctx.businessId);
    await passDays(shop, 0);
    if (!claimed) throw new Error("nothing was due");
    // The run hangs at the gateway while others look its payment up and go on.
    await Promise.all([runPeriod(shop.ctx, claimed), work(shop), work(shop)]);
    await comeToRest(shop);
    await work(shop);
    expect(await chargesAt(shop)).toBe(1);
    await assertPeriodsAgree(shop);
  });
});

describe("cancelling", () => {
  it.each(["cancel", "delete"])("(%s) before a renewal leaves nothing to charge", async (how) => {
    const shop = await newShopIn("UTC");
    await saveMethod(shop);
    const { _id } = await subscribe(shop);
    await (how === "cancel" ? update(shop.ctx, _id, { status: "cancel" }) : remove(shop.ctx, _id));
    expect(await runOnce(renewal, shop.ctx.businessId)).toBe(0);
    expect(await paymentsOf(shop)).toEqual([]);
    expect((await periodsOf(shop)).map(({ state }) => state)).toEqual(["void"]);
  });

  it("between the record of a charge and its call keeps it from being sent, also by a later worker", async () => {
    const shop = await newShopIn("UTC");
    await saveMethod(shop);
    const { _id } = await subscribe(shop);
    const [claimed] = await claimOf(duePeriods, shop.ctx.businessId);
    const begun = await withTransaction(async (tx) => {
      const terms = await lockTerms(shop.ctx, tx, _id);
      const period = claimed && (await lockPeriod(shop.ctx, tx, claimed));
      return terms && period && advance(shop.ctx, tx, terms, period, { mayCharge: true });
    });
    expect(begun).toMatchObject({ kind: "send", charge: { payment: { status: "submitting" } } });
    await update(shop.ctx, _id, { status: "cancel" });
    await comeToRest(shop);
    await work(shop);
    expect((await paymentsOf(shop)).map(({ status }) => status)).toEqual(["cancelled"]);
    expect(await chargesAt(shop)).toBe(0);
  });

  it("while a charge is under way lets it end: money that was taken is flagged as late", async () => {
    const shop = await newShopIn("UTC");
    await setTimes(shop.account.connection, { answerLimitMs: 20 });
    await saveMethod(shop);
    const { _id } = await subscribe(shop);
    await script(shop.account.connection.id, "charge", "hang");
    await work(shop);
    await update(shop.ctx, _id, { status: "cancel" });
    await comeToRest(shop);
    await follow(shop);
    expect((await paymentsOf(shop)).map(({ status, flags }) => [status, flags])).toEqual([
      ["succeeded", ["late"]],
    ]);
    const { rows } = await db.execute<{ data: object; previous: object }>(
      sql`select data, previous from events where business_id = ${shop.ctx.businessId} and type = 'payment.flagged'`,
    );
    expect(rows).toEqual([
      {
        data: expect.objectContaining({ status: "succeeded", flags: ["late"] }),
        previous: { flags: [] },
      },
    ]);
    expect(await statusOf(shop, _id)).toBe("cancel");
  });
});
