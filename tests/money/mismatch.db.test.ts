import { sql } from "drizzle-orm";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { findLink } from "@/lib/domain/payment-links/rows";
import { remove } from "@/lib/flows/link-change/steps";
import { begin } from "@/lib/flows/checkout/steps";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { resolve } from "@/lib/domain/payments/resolve";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { ofPayment } from "@/lib/domain/timeline/get";
import { settle } from "@/lib/domain/payments/settle";
import { create as createPackage } from "@/lib/domain/packages/create";
import { list as listPayments } from "@/lib/domain/payments/list";
import { create as subscribe } from "@/lib/domain/subscriptions/create";
import { get as getSubscription } from "@/lib/domain/subscriptions/get";
import { update as updateSubscription } from "@/lib/flows/subscription-change/update";
import { newId } from "@/lib/kernel/ids";
import { feeOf } from "../stripe-peer/objects";
import { runningPeer } from "../stripe-peer/running";
import {
  atStripe,
  callBack,
  comeBack,
  eventsOf,
  ledgerOf,
  newStripeShop,
  paidAtStripe,
  paymentsOf,
  savedAtStripe,
  type StripeShop,
} from "./stripe-setting";
import { terms } from "./subscription-setting";
import { outcomes, renewal } from "@/lib/flows/renewal/job";
import { mailComposition } from "@/lib/flows/mailing/job";
import { runAll, runOnce } from "../run-once";

const peer = runningPeer();

afterAll(closePool);

let shop: StripeShop;
beforeEach(async () => {
  shop = await newStripeShop(peer);
});

const now = async (id: string) => (await findPayment(shop.ctx, id)) as PaymentRow;
const linkOf = async (id: string) => (await findLink(shop.ctx, id))?.status;

/** Stripe says that it took another amount than was asked. */
async function setAside(): Promise<{ linkId: string; id: string }> {
  const { linkId, payment, session } = await atStripe(shop);
  shop.bank.press(session, "approve");
  if (shop.bank.intents[0]) shop.bank.intents[0].amount_received = 1_249;
  expect(await comeBack(shop, payment.id)).toMatchObject({
    status: "unknown",
    flags: ["amount_mismatch"],
  });
  return { linkId, id: payment.id };
}

/** A charge of a subscription without an answer. */
async function chargedSilently(): Promise<{ id: string; subscription: string }> {
  await savedAtStripe(shop);
  const { _id: package_id } = await createPackage(shop.ctx, terms);
  const { _id: subscription } = await subscribe(shop.ctx, {
    package_id,
    email: "payer@example.com",
  });
  peer.trouble = { status: 500, body: "oops" };
  await runOnce(renewal, shop.ctx.businessId);
  peer.trouble = null;
  const [payment] = await paymentsOf(shop);
  return { id: payment?.id ?? "", subscription };
}

/** The same, of which Stripe then says that it took another amount. */
async function chargedWrong(): Promise<{ id: string; subscription: string }> {
  const charged = await chargedSilently();
  await took(charged.id, 1);
  return charged;
}

const took = (id: string, amount: number) =>
  settle(shop.ctx, id, {
    kind: "succeeded",
    gatewayId: "pi_1",
    fee: null,
    amount,
    currency: "MYR",
  });

async function followed(): Promise<void> {
  await runOnce(outcomes, shop.ctx.businessId);
  await runOnce(renewal, shop.ctx.businessId);
}

const becomes = (subscription: string, status: string) =>
  expect
    .poll(async () => {
      await followed();
      return (await getSubscription(shop.ctx, subscription)).status;
    })
    .toBe(status);

/** Nothing is charged again. The payer has a link, and is mailed what is known: that the charge is not confirmed. */
async function isAskedOnly(subscription: string): Promise<void> {
  await runOnce(renewal, shop.ctx.businessId);
  expect(await paymentsOf(shop)).toHaveLength(1);
  expect((await getSubscription(shop.ctx, subscription)).payment_links).toHaveLength(1);
  expect(shop.bank.intents).toEqual([]);
  await runAll(mailComposition, shop.ctx.businessId);
  const { rows } = await db.execute(
    sql`select kind from mails where business_id = ${shop.ctx.businessId}`,
  );
  expect(rows).toEqual([{ kind: "payment_unconfirmed" }]);
}

describe("an amount mismatch, resolved by staff", () => {
  test("is failed, counts for nothing, and lets its link take money again", async () => {
    const { linkId, id } = await setAside();
    await expect(recordManualPayment(shop.ctx, linkId, { method: "cash" })).rejects.toMatchObject({
      status: 409,
    });
    expect(await resolve(shop.ctx, id, { note: "Refunded" })).toMatchObject({
      status: "failed",
      flags: ["amount_mismatch", "resolved"],
      note: "Refunded",
      refunded_amount: 0,
    });
    expect([
      await linkOf(linkId),
      await eventsOf(shop, "payment.failed"),
      await ledgerOf(shop),
    ]).toEqual(["Active", 1, {}]);
    expect((await begin(shop.ctx, linkId, 1)).kind).toBe("redirect");
    await recordManualPayment(shop.ctx, linkId, { method: "cash" });
    expect(await linkOf(linkId)).toBe("Paid");
    expect(await ledgerOf(shop)).toEqual({ manual: 1_250, sales: -1_250 });
  });

  test("stays resolved, whatever Stripe still says of that amount; its link may be deleted", async () => {
    const { linkId, id } = await setAside();
    const resolved = await resolve(shop.ctx, id, {});
    for (const { body } of shop.bank.events)
      await callBack(shop, body.replace(/"evt_[0-9a-f]+"/, `"evt_${newId()}"`));
    await reconcile(shop.ctx, await now(id));
    expect(await now(id)).toMatchObject({
      status: "failed",
      updatedAt: resolved.updated_at,
      succeededAt: null,
    });
    await remove(shop.ctx, linkId);
    expect([await eventsOf(shop, "payment.failed"), await ledgerOf(shop)]).toEqual([1, {}]);
  });

  test("is recorded after all when Stripe reports the right amount", async () => {
    const { linkId, id } = await setAside();
    await resolve(shop.ctx, id, {});
    if (shop.bank.intents[0]) shop.bank.intents[0].amount_received = 1_250;
    await callBack(shop, shop.bank.events.at(-1)?.body ?? "");
    expect([(await now(id)).status, await linkOf(linkId)]).toEqual(["succeeded", "Paid"]);
  });

  test.each([
    ["a callback", () => callBack(shop, shop.bank.events.at(-1)?.body ?? "")],
    ["the payer's return", (id: string) => comeBack(shop, id)],
  ])("is not waited for: the right amount counts at once, reported by %s", async (_way, report) => {
    const { linkId, id } = await setAside();
    if (shop.bank.intents[0]) shop.bank.intents[0].amount_received = 1_250;
    await report(id);
    expect([(await now(id)).status, await linkOf(linkId)]).toEqual(["succeeded", "Paid"]);
  });

  test("lets the fee of the right amount be booked later, and a wrong answer meanwhile plans the next look", async () => {
    shop.bank.feesLater = true;
    const { id } = await setAside();
    const says = async (amount: number) => {
      if (shop.bank.intents[0]) shop.bank.intents[0].amount_received = amount;
      await reconcile(shop.ctx, await now(id));
      return now(id);
    };
    const { updatedAt, ...paid } = await says(1_250);
    expect(paid).toMatchObject({ status: "succeeded", net: null, checks: 0 });
    expect(await says(1_249)).toMatchObject({ net: null, checks: 1, updatedAt });
    shop.bank.settle();
    expect(await says(1_250)).toMatchObject({ net: 1_250 - feeOf(1_250), nextCheckAt: null });
  });

  test("of an attempt that was over writes an event with the flags before, and is not why the attempt was cancelled", async () => {
    const { payment, session } = await atStripe(shop);
    const gatewayId = payment.gatewayId ?? "";
    const cancelled = async () =>
      (await ofPayment(shop.ctx, payment.id)).filter(({ kind }) => kind === "attempt.cancelled");
    await settle(shop.ctx, payment.id, { kind: "cancelled", gatewayId });
    expect(await cancelled()).toHaveLength(1);
    shop.bank.press(session, "approve");
    if (shop.bank.intents[0]) shop.bank.intents[0].amount_received = 1;
    await callBack(shop, shop.bank.events.at(-1)?.body ?? "");
    await resolve(shop.ctx, payment.id, { note: "Refunded" });
    const { rows } = await db.execute(
      sql`select previous, data from events where business_id = ${shop.ctx.businessId} and type = 'payment.flagged' order by xid, seq`,
    );
    const flags = ["amount_mismatch", "resolved"];
    expect(rows).toMatchObject([
      { previous: { flags: [] }, data: { flags: ["amount_mismatch"] } },
      {
        previous: { flags: ["amount_mismatch"] },
        data: { status: "cancelled", flags, note: "Refunded" },
      },
    ]);
    expect([await eventsOf(shop, "payment.failed"), await cancelled()]).toEqual([0, []]);
  });

  test("is resolved once, by however many at the same moment, and so does one that was over here before", async () => {
    const { id } = await setAside();
    const tried = await Promise.allSettled(
      Array.from({ length: 8 }, () => resolve(shop.ctx, id, {})),
    );
    expect(tried.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await eventsOf(shop, "payment.failed")).toBe(1);
    const { payment, session } = await atStripe(shop);
    await settle(shop.ctx, payment.id, {
      kind: "cancelled",
      gatewayId: payment.gatewayId ?? "",
    });
    shop.bank.press(session, "approve");
    if (shop.bank.intents[0]) shop.bank.intents[0].amount_received = 1;
    await callBack(shop, shop.bank.events.at(-1)?.body ?? "");
    expect(await resolve(shop.ctx, payment.id, {})).toMatchObject({
      status: "cancelled",
      flags: ["amount_mismatch", "resolved"],
    });
    await expect(resolve(shop.ctx, payment.id, {})).rejects.toMatchObject({ status: 409 });
  });

  test("of a subscription's period is not charged again: the payer gets a link", async () => {
    const { id, subscription } = await chargedWrong();
    await resolve(shop.ctx, id, {});
    await becomes(subscription, "halted");
    await isAskedOnly(subscription);
  });

  test("of a subscription that is halted already: its payer is not mailed that the charge failed", async () => {
    const { id, subscription } = await chargedWrong();
    await db.execute(
      sql`update subscriptions set status = 'halted' where business_id = ${shop.ctx.businessId}`,
    );
    await resolve(shop.ctx, id, {});
    await followed();
    await isAskedOnly(subscription);
  });

  test("is resolved like nothing else but an outcome that was unknown for a day", async () => {
    const paid = await paidAtStripe(shop);
    const { payment } = await atStripe(shop);
    for (const id of [paid.id, payment.id])
      await expect(resolve(shop.ctx, id, {})).rejects.toMatchObject({ status: 409 });
    await expect(resolve(shop.ctx, newId(), {})).rejects.toMatchObject({ status: 404 });
    expect((await now(payment.id)).status).toBe("requires_action");
  });
});

/** Sent, and unknown, since so many hours. */
const startedBefore = (id: string, hours: number) =>
  db.execute(
    sql`update payments set (started_at, unknown_since) = row(t, t) from (select now() - make_interval(secs => ${hours * 3_600}) as t) as moment where id = ${id}`,
  );

describe("a resolved charge of a subscription, whose payer has saved another method meanwhile", () => {
  test.each([
    ["a mismatch", chargedWrong],
    ["an unknown outcome", chargedSilently],
  ])("(%s) is not repeated with that method: the payer gets a link", async (_what, charged) => {
    const { id, subscription } = await charged();
    const { tokenization_id: first } = await getSubscription(shop.ctx, subscription);
    await savedAtStripe(shop);
    await followed();
    expect((await getSubscription(shop.ctx, subscription)).tokenization_id).not.toBe(first);
    await startedBefore(id, 25);
    await resolve(shop.ctx, id, {});
    await becomes(subscription, "halted");
    await isAskedOnly(subscription);
  });
});

describe("an outcome that stays unknown", () => {
  /** A payer's page of which Stripe gives no definite answer. */
  async function unanswered(
    hours: number,
  ): Promise<{ linkId: string; id: string; session: string }> {
    const { linkId, payment, session } = await atStripe(shop);
    await settle(shop.ctx, payment.id, { kind: "unknown", reason: "No word." });
    await startedBefore(payment.id, hours);
    expect([(await now(payment.id)).status, await linkOf(linkId)]).toEqual([
      "unknown",
      "Processing",
    ]);
    return { linkId, id: payment.id, session };
  }

  test("is left to the gateway for a day; then staff end it, and its link takes money again", async () => {
    const { linkId, id } = await unanswered(23.9);
    await expect(resolve(shop.ctx, id, {})).rejects.toMatchObject({ status: 409 });
    await startedBefore(id, 24.1);
    expect(await resolve(shop.ctx, id, { note: "Not at Stripe" })).toMatchObject({
      status: "failed",
      flags: ["resolved"],
      note: "Not at Stripe",
    });
    await expect(resolve(shop.ctx, id, {})).rejects.toMatchObject({ status: 409 });
    expect([
      await linkOf(linkId),
      await eventsOf(shop, "payment.failed"),
      await ledgerOf(shop),
    ]).toEqual(["Active", 1, {}]);
    expect((await begin(shop.ctx, linkId, 1)).kind).toBe("redirect");
  });

  test("is recorded after all when the gateway reports its money, and set aside again when that is another amount", async () => {
    const { linkId, id, session } = await unanswered(25);
    await resolve(shop.ctx, id, {});
    shop.bank.press(session, "approve");
    await callBack(shop, shop.bank.events.at(-1)?.body ?? "");
    expect([(await now(id)).status, await linkOf(linkId)]).toEqual(["succeeded", "Paid"]);
    const other = await unanswered(25);
    await resolve(shop.ctx, other.id, {});
    expect(await took(other.id, 1)).toMatchObject({ status: "failed", flags: ["amount_mismatch"] });
    expect(await resolve(shop.ctx, other.id, {})).toMatchObject({
      flags: ["amount_mismatch", "resolved"],
    });
  });

  test("of a subscription's period is not charged again: the payer gets a link", async () => {
    const { id, subscription } = await chargedSilently();
    await startedBefore(id, 25);
    await resolve(shop.ctx, id, {});
    await becomes(subscription, "halted");
    await isAskedOnly(subscription);
  });
});

describe("the right amount of a subscription's charge, after a mismatch", () => {
  test.each(["before", "after"])(
    "pays its period, %s it is resolved, and nothing is charged again",
    async (when) => {
      const { id, subscription } = await chargedWrong();
      if (when === "after") {
        await resolve(shop.ctx, id, {});
        await becomes(subscription, "halted");
      }
      expect(await took(id, 1_250)).toMatchObject({ status: "succeeded" });
      await becomes(subscription, "active");
      await followed();
      expect(await paymentsOf(shop)).toHaveLength(1);
      expect(shop.bank.intents).toEqual([]);
      expect(
        (await getSubscription(shop.ctx, subscription)).payment_links.map(({ status }) => status),
      ).toEqual(when === "after" ? ["Cancelled"] : []);
      expect(await ledgerOf(shop)).toEqual({ gateway: 1_250, sales: -1_250 });
      const waiting = await listPayments(
        shop.ctx,
        { attention: "payment_mismatch" },
        new URLSearchParams(),
      );
      expect(waiting.data).toEqual([]);
    },
  );

  test("has paid the period of a subscription that is cancelled a moment later", async () => {
    const { id, subscription } = await chargedWrong();
    await took(id, 1_250);
    await updateSubscription(shop.ctx, subscription, { status: "cancel" });
    await followed();
    expect((await now(id)).flags).toEqual(["amount_mismatch"]);
    const { rows } = await db.execute(
      sql`select state, payment_id from subscription_periods where business_id = ${shop.ctx.businessId}`,
    );
    expect(rows).toEqual([{ state: "paid", payment_id: id }]);
  });

  test("is late once the subscription is cancelled", async () => {
    const { id, subscription } = await chargedWrong();
    await resolve(shop.ctx, id, {});
    await becomes(subscription, "halted");
    await updateSubscription(shop.ctx, subscription, { status: "cancel" });
    await took(id, 1_250);
    await expect
      .poll(async () => {
        await followed();
        return (await now(id)).flags;
      })
      .toEqual(["amount_mismatch", "resolved", "late"]);
  });
});
