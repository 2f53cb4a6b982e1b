import { sql } from "drizzle-orm";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { cancel } from "@/lib/domain/payment-links/cancel";
import { findLink } from "@/lib/domain/payment-links/rows";
import { charge } from "@/lib/flows/charge/steps";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { settle } from "@/lib/domain/payments/settle";
import { create as createPackage } from "@/lib/domain/packages/create";
import { create as subscribe } from "@/lib/domain/subscriptions/create";
import { get as getSubscription } from "@/lib/domain/subscriptions/get";
import { receiveCallback } from "@/lib/http/callback";
import { newId } from "@/lib/kernel/ids";
import { feeOf } from "../stripe-peer/objects";
import { signed } from "../stripe-peer/peer";
import { runningPeer } from "../stripe-peer/running";
import {
  atStripe,
  callBack,
  callbacksOf,
  eventsOf,
  ledgerOf,
  newStripeShop,
  paidAtStripe,
  savedAtStripe,
  type StripeShop,
} from "./stripe-setting";
import { terms } from "./subscription-setting";
import { callbacks } from "@/lib/flows/callback/job";
import { runOnce } from "../run-once";
import { outcomes, renewal } from "@/lib/flows/renewal/job";

const peer = runningPeer();

afterAll(closePool);

let shop: StripeShop;
beforeEach(async () => {
  shop = await newStripeShop(peer);
});

const now = async (id: string) => (await findPayment(shop.ctx, id)) as PaymentRow;
const told = (from = 0) => shop.bank.events.slice(from).map(({ body }) => body);
const paid = (amount: number) => ({
  gateway: amount - feeOf(amount),
  sales: -amount,
  fees: feeOf(amount),
});

/** Charges a saved method, which is declined. Returns the payment as it is stored. */
async function declined(amount = 700): Promise<PaymentRow> {
  const token = await savedAtStripe(shop, "soft");
  const { _id, status } = await charge(shop.ctx, token, {
    amount,
    currency: "MYR",
    title: "Membership",
  });
  expect(status).toBe("failed");
  return now(_id);
}

/** An attempt that is cancelled here, with its page still open at Stripe. */
async function givenUp(): Promise<{ linkId: string; id: string; session: string }> {
  const { linkId, payment, session } = await atStripe(shop);
  await settle(shop.ctx, payment.id, {
    kind: "cancelled",
    gatewayId: payment.gatewayId ?? "",
  });
  return { linkId, id: payment.id, session };
}

describe("money that moved after the attempt had ended here", () => {
  test("a declined charge that succeeds later is paid and booked once, with callbacks in any order and repeated", async () => {
    const payment = await declined();
    const [intent] = shop.bank.intents;
    if (!intent) throw new Error("nothing was charged");
    shop.bank.succeedAfterAll(intent);
    const sent = told();
    for (const body of [...sent.toReversed(), ...sent]) await callBack(shop, body);
    await Promise.all(
      sent.map((body) => callBack(shop, body.replace(/"evt_[0-9a-f]+"/, `"evt_${newId()}"`))),
    );
    expect(await now(payment.id)).toMatchObject({
      status: "succeeded",
      gatewayId: intent.id,
      decline: null,
      message: null,
      flags: [],
    });
    expect(await ledgerOf(shop)).toEqual(paid(700));
    expect(await eventsOf(shop, "payment.succeeded")).toBe(1);
    expect((await callbacksOf(shop)).every(({ state }) => state === "done")).toBe(true);
  });

  test("a page that was cancelled here and completed at Stripe pays its link", async () => {
    const { linkId, id, session } = await givenUp();
    shop.bank.press(session, "approve");
    for (const body of [...told(), ...told()]) await callBack(shop, body);
    expect((await now(id)).status).toBe("succeeded");
    expect((await findLink(shop.ctx, linkId))?.status).toBe("Paid");
    expect(await ledgerOf(shop)).toEqual(paid(1_250));
    expect(await eventsOf(shop, "payment_link.paid")).toBe(1);
  });

  test("a payment for a link that was cancelled meanwhile is flagged late, and the link stays cancelled", async () => {
    const { linkId, id, session } = await givenUp();
    await cancel(shop.ctx, linkId);
    shop.bank.press(session, "approve");
    for (const body of told()) await callBack(shop, body);
    expect(await now(id)).toMatchObject({ status: "succeeded", flags: ["late"] });
    expect((await findLink(shop.ctx, linkId))?.status).toBe("Cancelled");
    expect(await ledgerOf(shop)).toEqual(paid(1_250));
  });

  test("a declined renewal that succeeds later settles its period, and cancels the payer's link for it", async () => {
    await savedAtStripe(shop, "soft");
    const { _id: package_id } = await createPackage(shop.ctx, terms);
    const { _id: id } = await subscribe(shop.ctx, { package_id, email: "payer@example.com" });
    const stands = async () => {
      await runOnce(outcomes, shop.ctx.businessId);
      await runOnce(renewal, shop.ctx.businessId);
      const { status, payment_links } = await getSubscription(shop.ctx, id);
      return [status, ...payment_links.map((link) => link.status)];
    };
    await runOnce(renewal, shop.ctx.businessId);
    await expect.poll(stands).toEqual(["past_due", "Active"]);
    if (shop.bank.intents[0]) shop.bank.succeedAfterAll(shop.bank.intents[0]);
    for (const body of told()) await callBack(shop, body);
    await expect.poll(stands).toEqual(["active", "Cancelled"]);
    expect(await ledgerOf(shop)).toEqual(paid(1_250));
    expect(shop.bank.intents).toHaveLength(1);
  });

  test("a callback that comes while Stripe does not answer is kept and tried again", async () => {
    const payment = await declined();
    if (shop.bank.intents[0]) shop.bank.succeedAfterAll(shop.bank.intents[0]);
    peer.trouble = { status: 500, body: "oops" };
    await callBack(shop, told().at(-1) ?? "");
    peer.trouble = null;
    expect((await now(payment.id)).status).toBe("failed");
    expect(await callbacksOf(shop)).toEqual([expect.objectContaining({ state: "new" })]);
    await db.execute(
      sql`update gateway_events set next_try_at = now() where connection_id = ${shop.connectionId}`,
    );
    await runOnce(callbacks, shop.ctx.businessId);
    expect((await now(payment.id)).status).toBe("succeeded");
    expect((await callbacksOf(shop))[0]?.state).toBe("done");
  });

  test("a callback that is forged, or that Stripe's API contradicts, changes nothing", async () => {
    const payment = await declined();
    const [intent] = shop.bank.intents;
    const claim = JSON.stringify({
      ...(JSON.parse(told().at(-1) ?? "") as object),
      id: `evt_${newId()}`,
      type: "payment_intent.succeeded",
      data: {
        object: { ...intent, attempts: undefined, latest_charge: null, status: "succeeded" },
      },
    });
    await expect(callBack(shop, claim, "whsec_wrong")).rejects.toMatchObject({ status: 400 });
    await callBack(shop, claim);
    expect(await now(payment.id)).toMatchObject({
      status: "failed",
      decline: "soft",
      updatedAt: payment.updatedAt,
    });
    expect(await ledgerOf(shop)).toEqual({});
    expect(await eventsOf(shop, "payment.failed")).toBe(1);
  });

  test("a payment of another amount is flagged and books nothing", async () => {
    const { linkId, id, session } = await givenUp();
    shop.bank.press(session, "approve");
    if (shop.bank.intents[0]) shop.bank.intents[0].amount_received = 1;
    for (const body of told()) await callBack(shop, body);
    expect(await now(id)).toMatchObject({
      status: "cancelled",
      flags: ["amount_mismatch"],
      succeededAt: null,
    });
    expect((await findLink(shop.ctx, linkId))?.status).toBe("Active");
    expect(await ledgerOf(shop)).toEqual({});
  });
});

test("the right amount counts under its own id too, after another payment that names the same attempt", async () => {
  const token = await savedAtStripe(shop);
  peer.trouble = { status: 500, body: "oops" };
  const asked = { amount: 700, currency: "MYR" as const, title: "Membership" };
  const { _id: id } = await charge(shop.ctx, token, asked);
  peer.trouble = null;
  const [method] = shop.bank.methods;
  const reported = async (amount: number) => {
    const { id: gatewayId } = shop.bank.charge({
      ...{ amount, currency: "myr", customer: method?.customer ?? "", method: method?.id ?? "" },
      ...{ metadata: { kutip_attempt: id }, description: "", offSession: "" },
    });
    await callBack(shop, told().at(-1) ?? "");
    return { ...(await now(id)), isOfThis: (await now(id)).gatewayId === gatewayId };
  };
  const mismatch = { status: "unknown", flags: ["amount_mismatch"] };
  expect(await reported(1_249)).toMatchObject({ ...mismatch, isOfThis: true });
  expect(await reported(1_250)).toMatchObject({ ...mismatch, isOfThis: false });
  expect(await reported(700)).toMatchObject({ status: "succeeded", isOfThis: true });
  expect(await ledgerOf(shop)).toEqual(paid(700));
});

test("a fee that Stripe reports after the last look-up is booked once, by its callback", async () => {
  shop.bank.feesLater = true;
  let payment = await paidAtStripe(shop);
  const early = told().map((body) => body.replace(/"evt_[0-9a-f]+"/, `"evt_${newId()}"`));
  while (payment.nextCheckAt !== null) payment = await reconcile(shop.ctx, payment);
  await callBack(shop, early[0] ?? "");
  expect(await ledgerOf(shop)).toEqual({ gateway: 1_250, sales: -1_250 });
  shop.bank.settle();
  const [updated = ""] = told(shop.bank.events.length - 1);
  expect(updated).toContain("charge.updated");
  await Promise.all(
    [updated, updated.replace(/"evt_[0-9a-f]+"/, `"evt_${newId()}"`), ...early].map((body) =>
      callBack(shop, body),
    ),
  );
  expect(await ledgerOf(shop)).toEqual(paid(1_250));
  expect(await now(payment.id)).toMatchObject({
    status: "succeeded",
    nextCheckAt: null,
    updatedAt: payment.updatedAt,
  });
  const asked = peer.calls.length;
  await callBack(shop, updated.replace(/"evt_[0-9a-f]+"/, `"evt_${newId()}"`));
  expect(peer.calls.length).toBe(asked);
  expect((await callbacksOf(shop)).every(({ state }) => state === "done")).toBe(true);
});

test("an event with as much metadata as Stripe allows is accepted, and a larger body is a 413", async () => {
  const { session } = await atStripe(shop);
  shop.bank.press(session, "approve");
  const event = JSON.parse(told().at(-1) ?? "") as {
    data: { object: { metadata: Record<string, string> } };
  };
  // Fifty values of 500 characters, which JSON may write in six bytes each.
  for (let field = 0; field < 49; field++)
    event.data.object.metadata[`field_${field}`] = "\u00e9".repeat(500);
  const body = JSON.stringify(event).replaceAll("\u00e9", "\\u00e9");
  expect(body.length).toBeGreaterThan(140_000);
  const send = (text: string) =>
    receiveCallback(
      new Request("http://localhost:3000/api", {
        method: "POST",
        body: text,
        headers: { "stripe-signature": signed(text, shop.webhookSecret) },
      }),
      {
        params: Promise.resolve({ gateway: "stripe", connection_id: shop.connectionId }),
      },
    );
  expect((await send(body)).status).toBe(200);
  await expect
    .poll(async () => (await callbacksOf(shop)).map(({ state }) => state))
    .toEqual(["done"]);
  expect((await send(`${body}${" ".repeat(262_145 - body.length)}`)).status).toBe(413);
  expect(await callbacksOf(shop)).toHaveLength(1);
});
