import { sql } from "drizzle-orm";
import { afterAll, describe, expect, it, vi } from "vitest";
import { closePool, db, withTransaction } from "@/db/client";
import { eventsAbout } from "@/lib/domain/events/rows";
import { sendLink } from "@/lib/domain/mails/resend";
import { payerEmailOf } from "@/lib/domain/payments/payer-rows";
import { resolve } from "@/lib/domain/payments/resolve";
import { settle } from "@/lib/domain/payments/settle";
import { get } from "@/lib/domain/subscriptions/get";
import { lockSubscription } from "@/lib/domain/subscriptions/rows";
import { list as listTokens } from "@/lib/domain/tokenizations/list";
import { mailComposition } from "@/lib/flows/mailing/job";
import { enqueue } from "@/lib/flows/renewal/enqueue";
import { update } from "@/lib/flows/subscription-change/update";
import { runAll } from "../run-once";
import { beforeNext } from "./before-next";
import { choose, comeToRest, paymentsOf, press, type Shop } from "./setting";
import {
  assertPeriodsAgree,
  behave,
  follow,
  newClock,
  newShopIn,
  passDays,
  saveMethod,
  subscribe,
  work,
} from "./subscription-setting";

vi.mock(import("@/lib/domain/subscriptions/rows"), { spy: true });

afterAll(closePool);

const [old, other] = ["old@example.com", "other@example.com"];

const subscribed = (shop: Shop) => subscribe(shop, {}, undefined, old);

/** The open link of a subscription without a saved method. */
async function waiting(shop: Shop): Promise<{ id: string; link: string }> {
  const { _id: id } = await subscribed(shop);
  await work(shop);
  return { id, link: (await get(shop.ctx, id)).payment_links[0]?._id ?? "" };
}

/** The gateway reports that the payment under way took no money. */
async function endPending(shop: Shop, kind: "failed" | "cancelled"): Promise<void> {
  const payment = (await paymentsOf(shop)).find(({ status }) => status === "pending");
  if (!payment) throw new Error("no payment is under way");
  const found = { kind, gatewayId: payment.gatewayId ?? "" } as const;
  await settle(
    shop.ctx,
    payment.id,
    kind === "failed"
      ? { ...found, kind, decline: "soft", reason: "No money." }
      : { ...found, kind },
  );
}

/** The events of saved methods are read once more, as when others of their batch failed. */
async function readAgain(shop: Shop): Promise<void> {
  for (const { _id } of (await listTokens(shop.ctx, {}, new URLSearchParams())).data) {
    const events = await eventsAbout(shop.ctx, _id);
    await withTransaction((tx) => enqueue(tx, shop.ctx.businessId, events, shop.ctx.requestId));
  }
}

/** The payers' mails, kind and recipient, in the order of the alphabet. */
async function mailsOf(shop: Shop): Promise<string[]> {
  await runAll(mailComposition, shop.ctx.businessId);
  const { rows } = await db.execute<{ line: string }>(
    sql`select kind || ' ' || recipient as line from mails where business_id = ${shop.ctx.businessId}`,
  );
  return rows.map(({ line }) => line).sort();
}

describe("a subscription that is given another address", () => {
  it("takes its open link along: the new payer is asked, pays with their own method, and gets the receipt", async () => {
    const shop = await newShopIn("UTC");
    const { id, link } = await waiting(shop);
    const changed = await update(shop.ctx, id, { email: other, phone_no: "+60 12" });
    expect(changed.payment_links).toMatchObject([
      { _id: link, status: "Active", email: other, phone_no: "+60 12", version: 2 },
    ]);
    const [event] = await eventsAbout(shop.ctx, link);
    expect(event).toMatchObject({
      type: "payment_link.updated",
      data: { email: other },
      previous: { email: old, phone_no: null },
    });
    const { rows: moves } = await db.execute(
      sql`select previous from events where business_id = ${shop.ctx.businessId} and type = 'customer.link_moved'`,
    );
    expect(moves).toHaveLength(1);
    await sendLink(shop.ctx, link);
    await saveMethod(shop, "works", other);
    await work(shop);
    expect((await get(shop.ctx, id)).status).toBe("active");
    expect(await mailsOf(shop)).toEqual([
      `payment_due ${old}`,
      `payment_due ${other}`,
      `payment_link ${other}`,
      `receipt ${other}`,
    ]);
    const [payment] = await paymentsOf(shop);
    expect(payment && (await payerEmailOf(shop.ctx, payment))).toBe(other);
    await assertPeriodsAgree(shop);
  });

  it("is overdue three days after the new payer was asked", async () => {
    const shop = await newShopIn("UTC");
    const { id } = await waiting(shop);
    await passDays(shop, 2);
    await update(shop.ctx, id, { email: other });
    await passDays(shop, 2);
    await work(shop);
    expect((await get(shop.ctx, id)).status).toBe("created");
    await passDays(shop, 2);
    await work(shop);
    expect((await get(shop.ctx, id)).status).toBe("past_due");
    expect(await mailsOf(shop)).toEqual([
      `payment_due ${old}`,
      `payment_due ${other}`,
      `payment_overdue ${other}`,
    ]);
  });

  it("plans no further try of the old payer's method, and says nothing about that method to the new payer", async () => {
    const shop = await newShopIn("UTC");
    await saveMethod(shop, "needs_payer", old);
    const { _id } = await subscribed(shop);
    await work(shop);
    expect((await get(shop.ctx, _id)).next_charge_at).not.toBeNull();
    expect(await update(shop.ctx, _id, { email: other })).toMatchObject({
      status: "past_due",
      next_charge_at: null,
      tokenization_id: null,
    });
    await passDays(shop, 8);
    await work(shop);
    expect((await get(shop.ctx, _id)).status).toBe("past_due");
    expect(await mailsOf(shop)).toEqual([`payment_due ${other}`, `payment_failed ${old}`]);
  });

  it("while the old payer's method is being charged asks the new payer once that fails", async () => {
    const shop = await newShopIn("UTC");
    await saveMethod(shop, "pending", old);
    const { _id } = await subscribed(shop);
    await work(shop);
    await update(shop.ctx, _id, { email: other });
    await endPending(shop, "failed");
    await work(shop);
    expect(await get(shop.ctx, _id)).toMatchObject({
      status: "created",
      next_charge_at: null,
      payment_links: [{ status: "Active", email: other }],
    });
    expect(await mailsOf(shop)).toEqual([`payment_due ${other}`]);
  });

  it("while the old payer's method is being charged sends the receipt to the old payer, whose card it names", async () => {
    const shop = await newShopIn("UTC");
    await saveMethod(shop, "pending", old);
    const { _id } = await subscribed(shop);
    await work(shop);
    await update(shop.ctx, _id, { email: other });
    await comeToRest(shop);
    await work(shop);
    expect((await get(shop.ctx, _id)).status).toBe("active");
    expect(await mailsOf(shop)).toEqual([`subscription_receipt ${old}`]);
  });

  it("at the moment in which the old payer saves a method does not take that method", async () => {
    const shop = await newShopIn("UTC");
    const { id } = await waiting(shop);
    await saveMethod(shop, "works", old);
    beforeNext(lockSubscription, () => update(shop.ctx, id, { email: other }));
    await work(shop);
    expect(await get(shop.ctx, id)).toMatchObject({
      email: other,
      status: "created",
      tokenization_id: null,
    });
    expect(await mailsOf(shop)).toEqual([`payment_due ${old}`, `payment_due ${other}`]);
  });

  it("takes no method that the new payer saved before, however late and often that is read", async () => {
    const shop = await newShopIn("UTC");
    const { id } = await waiting(shop);
    await saveMethod(shop, "works", other);
    await update(shop.ctx, id, { email: other });
    await work(shop);
    await readAgain(shop);
    await work(shop);
    expect(await get(shop.ctx, id)).toMatchObject({ status: "created", tokenization_id: null });
    expect(await paymentsOf(shop)).toEqual([]);
    expect(await mailsOf(shop)).toEqual([`payment_due ${old}`, `payment_due ${other}`]);
  });

  it("by a version that does not keep since when, takes what the new payer saves later alone", async () => {
    const shop = await newShopIn("UTC");
    const { id } = await waiting(shop);
    await saveMethod(shop, "works", other);
    await db.execute(
      sql`update subscriptions set email = ${other}, tokenization_id = null, next_charge_at = null where id = ${id}`,
    );
    await work(shop);
    await readAgain(shop);
    expect((await get(shop.ctx, id)).tokenization_id).toBeNull();
    await saveMethod(shop, "works", other);
    await work(shop);
    expect((await get(shop.ctx, id)).tokenization_id).not.toBeNull();
  });

  it("takes no method that the new payer saved while the change waited for its row", async () => {
    const shop = await newShopIn("UTC");
    const { id } = await waiting(shop);
    beforeNext(lockSubscription, () => saveMethod(shop, "works", other));
    await update(shop.ctx, id, { email: other });
    await work(shop);
    expect((await get(shop.ctx, id)).tokenization_id).toBeNull();
    expect(await paymentsOf(shop)).toEqual([]);
  });

  it("under a test clock far ahead takes the method that the new payer saves later, and none from before", async () => {
    const shop = await newShopIn("UTC");
    const clock = await newClock(shop, "2099-01-31T02:00:00");
    const { _id } = await subscribe(shop, {}, clock, old);
    await saveMethod(shop, "works", other);
    await update(shop.ctx, _id, { email: other });
    await follow(shop);
    expect((await get(shop.ctx, _id)).tokenization_id).toBeNull();
    await saveMethod(shop, "works", other);
    await follow(shop);
    expect((await get(shop.ctx, _id)).tokenization_id).not.toBeNull();
  });

  it("in other letters only has the same payer: the method that they had just saved is charged", async () => {
    const shop = await newShopIn("UTC");
    const { id } = await waiting(shop);
    await saveMethod(shop, "works", old);
    await update(shop.ctx, id, { email: old.toUpperCase() });
    await work(shop);
    expect((await get(shop.ctx, id)).status).toBe("active");
    await assertPeriodsAgree(shop);
  });

  it("while a payment of its link is in process lets that payment end", async () => {
    const shop = await newShopIn("UTC");
    const { id, link } = await waiting(shop);
    await choose(shop, (await press(shop, link)) ?? "", "approve_later");
    const changed = await update(shop.ctx, id, { email: other });
    expect(changed.payment_links).toMatchObject([{ status: "Processing", email: other }]);
    await comeToRest(shop);
    await work(shop);
    expect((await get(shop.ctx, id)).status).toBe("active");
    expect(await mailsOf(shop)).toEqual([`payment_due ${old}`, `receipt ${other}`]);
    await assertPeriodsAgree(shop);
  });

  it.each([
    ["created", "failed"],
    ["created", "cancelled"],
    ["past_due", "failed"],
  ] as const)(
    "(%s) while a payment of its link is in process asks the new payer once that has %s",
    async (status, kind) => {
      const shop = await newShopIn("UTC");
      if (status === "past_due") await saveMethod(shop, "needs_payer", old);
      const { id, link } = await waiting(shop);
      await choose(shop, (await press(shop, link)) ?? "", "approve_later");
      await update(shop.ctx, id, { email: other });
      await work(shop);
      await endPending(shop, kind);
      // A worker looks again for one that was cancelled, since that has no event.
      if (kind === "cancelled") await passDays(shop, 1);
      await work(shop);
      expect(await get(shop.ctx, id)).toMatchObject({
        status,
        next_charge_at: null,
        payment_links: [{ _id: link, status: "Active", email: other }],
      });
      expect((await mailsOf(shop)).filter((mail) => mail.endsWith(other))).toEqual([
        `payment_due ${other}`,
      ]);
      await passDays(shop, 4);
      await work(shop);
      expect((await get(shop.ctx, id)).status).toBe("past_due");
    },
  );

  it("while a payment of its link is in process charges what the new payer saves meanwhile once that has failed", async () => {
    const shop = await newShopIn("UTC");
    const { id, link } = await waiting(shop);
    await choose(shop, (await press(shop, link)) ?? "", "approve_later");
    await update(shop.ctx, id, { email: other });
    await saveMethod(shop, "works", other);
    await work(shop);
    await endPending(shop, "failed");
    await work(shop);
    expect((await get(shop.ctx, id)).status).toBe("active");
    expect(await mailsOf(shop)).toEqual([`payment_due ${old}`, `receipt ${other}`]);
    await assertPeriodsAgree(shop);
  });

  it.each(["page", "method"])(
    "and whose old payer's payment by their %s is resolved asks the new payer by the link, and says nothing about their method",
    async (kind) => {
      const shop = await newShopIn("UTC");
      if (kind === "method") await saveMethod(shop, "pending", old);
      const { _id: id } = await subscribed(shop);
      await work(shop);
      const [link] = (await get(shop.ctx, id)).payment_links;
      if (link) await choose(shop, (await press(shop, link._id)) ?? "", "approve_later");
      await update(shop.ctx, id, { email: other });
      await saveMethod(shop, "works", other);
      await work(shop);
      const [payment] = await paymentsOf(shop);
      await settle(shop.ctx, payment?.id ?? "", { kind: "unknown", reason: "No word." });
      await db.execute(
        sql`update payments set (started_at, unknown_since) = row(t, t) from (select now() - interval '25 hours' as t) as moment where id = ${payment?.id}`,
      );
      await resolve(shop.ctx, payment?.id ?? "", {});
      await work(shop);
      expect(await paymentsOf(shop)).toHaveLength(1);
      expect(await get(shop.ctx, id)).toMatchObject({
        status: "created",
        payment_links: [{ status: "Active", email: other }],
      });
      expect((await mailsOf(shop)).filter((mail) => mail.endsWith(other))).toEqual([
        `payment_due ${other}`,
      ]);
    },
  );

  it.each(["open", "charging"])(
    "(period %s) tries the new payer's own method by a schedule of its own, however late in that of the old one",
    async (state) => {
      const shop = await newShopIn("UTC");
      const method = await saveMethod(shop, "needs_payer", old);
      const { _id } = await subscribed(shop);
      await work(shop);
      await passDays(shop, 1.1);
      if (state === "charging") await behave(shop, method, "pending");
      await work(shop);
      await update(shop.ctx, _id, { email: other });
      if (state === "charging") await endPending(shop, "failed");
      await work(shop);
      await passDays(shop, 8);
      await saveMethod(shop, "needs_payer", other);
      await work(shop);
      const after = await get(shop.ctx, _id);
      expect([after.status, after.next_charge_at === null]).toEqual(["past_due", false]);
      expect((await mailsOf(shop)).filter((mail) => mail.endsWith(other))).toEqual([
        `payment_due ${other}`,
        `payment_failed ${other}`,
      ]);
    },
  );

  it("right after its link was paid becomes active at once", async () => {
    const shop = await newShopIn("UTC");
    const { id, link } = await waiting(shop);
    await choose(shop, (await press(shop, link)) ?? "", "approve");
    await follow(shop);
    await update(shop.ctx, id, { email: other });
    await work(shop);
    expect((await get(shop.ctx, id)).status).toBe("active");
    expect((await get(shop.ctx, id)).payment_links).toMatchObject([{ status: "Paid", email: old }]);
  });

  it("and is cancelled by the same call asks no one", async () => {
    const shop = await newShopIn("UTC");
    const { id } = await waiting(shop);
    await update(shop.ctx, id, { email: other, status: "cancel" });
    expect(await mailsOf(shop)).toEqual([`payment_due ${old}`, `subscription_cancelled ${other}`]);
  });
});
