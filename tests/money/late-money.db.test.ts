import { afterAll, describe, expect, test } from "vitest";
import { GET as thankYou } from "@/app/(payer)/thank-you/route";
import { closePool } from "@/db/client";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { findLink } from "@/lib/domain/payment-links/rows";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { definePaymentLookUps } from "@/lib/flows/charge/job";
import { abandon } from "@/lib/flows/charge/reconcile";
import { returnFrom } from "@/lib/flows/checkout/return";
import { begin } from "@/lib/flows/checkout/steps";
import { update } from "@/lib/flows/link-change/steps";
import { runningBillplz } from "../billplz-peer/running";
import { runningChip } from "../chip-peer/running";
import { runOnce } from "../run-once";
import { atBillplz, type BillplzShop, callBack, newBillplzShop } from "./billplz-setting";
import { connectChip, paymentsOf, purchaseIn } from "./chip-setting";
import { eventsOf, ledgerOf } from "./stripe-setting";

const peer = runningBillplz();
const chip = runningChip();

afterAll(closePool);

const now = async ({ ctx }: BillplzShop, id: string) => (await findPayment(ctx, id)) as PaymentRow;

/** The bank pays a bill that was deleted, and Billplz calls back. */
async function payAfterAll(shop: BillplzShop, { id }: PaymentRow, bill: string): Promise<void> {
  const { account } = shop;
  account.finish(account.bill(bill), account.startAtBank(bill), true);
  expect(await callBack(shop, account.sent.at(-1)?.body ?? "")).toBe(200);
  await expect
    .poll(async () => (await now(shop, id)).status, { interval: 20, timeout: 15_000 })
    .toBe("succeeded");
}

/** A bill of MYR 12.50 is paid after its link was changed. */
async function paidAfterChange(change: { amount: number; title: string; email?: string }) {
  const shop = await newBillplzShop(peer);
  const { linkId, payment, bill } = await atBillplz(shop);
  await update(shop.ctx, linkId, {
    email: "payer@example.com",
    ...change,
    currency: "MYR",
    redirect_url: "https://shop.example/done",
  });
  expect((await now(shop, payment.id)).status).toBe("cancelled");
  await payAfterAll(shop, payment, bill);
  return { shop, linkId, payment: await now(shop, payment.id) };
}

describe("money for a link that was changed meanwhile", () => {
  test("is booked and flagged when the link asks for another amount by now, and does not pay it", async () => {
    const change = { amount: 2_000, title: "Satay for three" };
    const { shop, linkId, payment } = await paidAfterChange(change);
    expect(payment).toMatchObject({ amount: 1_250, flags: ["late"] });
    expect(await findLink(shop.ctx, linkId)).toMatchObject({
      status: "Active",
      version: 2,
      paidAt: null,
    });
    expect([
      await eventsOf(shop as never, "payment.succeeded"),
      await eventsOf(shop as never, "payment_link.paid"),
      await ledgerOf(shop as never),
    ]).toEqual([1, 0, { gateway: 1_250, sales: -1_250 }]);
    expect((await begin(shop.ctx, linkId, 2)).kind).toBe("redirect");
  });

  test("pays the link when it still asks for that amount", async () => {
    const change = { amount: 1_250, title: "Satay for one" };
    const { shop, linkId, payment } = await paidAfterChange(change);
    expect(payment.flags).toEqual([]);
    expect((await findLink(shop.ctx, linkId))?.status).toBe("Paid");
  });
});

describe("a payer who returns to a shop", () => {
  test("with money that did not pay the link ends at the thank-you page, not at the shop", async () => {
    const change = { amount: 2_000, title: "Satay for three" };
    const { shop, payment } = await paidAfterChange(change);
    const address = await returnFrom(shop.ctx, payment);
    expect(address).toBe(`http://localhost:3000/thank-you?payment_id=${payment.id}`);
    const page = await thankYou(new Request(address), {});
    const text = await page.text();
    expect([page.status, text]).toEqual([200, expect.stringContaining("MYR 12.50")]);
    expect(text).toContain("after this payment link was closed or changed");
  });

  test.each<[string, boolean]>([
    ["before", true],
    ["after", false],
  ])(
    "with money for what the link asked before does not end at the shop, where it came %s other money has paid the link",
    async (_when, comesFirst) => {
      const shop = await newBillplzShop(peer);
      const { linkId, payment, bill } = await atBillplz(shop);
      await update(shop.ctx, linkId, {
        email: "payer@example.com",
        amount: 2_000,
        title: "Satay for three",
        currency: "MYR",
        redirect_url: "https://shop.example/done",
      });
      if (comesFirst) await payAfterAll(shop, payment, bill);
      expect((await begin(shop.ctx, linkId, 2)).kind).toBe("redirect");
      const other = await now(shop, (await findLink(shop.ctx, linkId))?.openPaymentId ?? "");
      await payAfterAll(shop, other, other.gatewayId ?? "");
      if (!comesFirst) await payAfterAll(shop, payment, bill);
      const returned = async ({ id }: PaymentRow) =>
        new URL(await returnFrom(shop.ctx, await now(shop, id))).host;
      expect([await returned(other), await returned(payment)]).toEqual([
        "shop.example",
        "localhost:3000",
      ]);
    },
  );

  test("with money that came after the link was given to another payer, who paid it, does not end at the page of that payer's order", async () => {
    const change = { amount: 2_000, title: "Satay for three", email: "other@example.com" };
    const { shop, linkId, payment } = await paidAfterChange(change);
    expect((await begin(shop.ctx, linkId, 2)).kind).toBe("redirect");
    const link = await findLink(shop.ctx, linkId);
    const other = await now(shop, link?.openPaymentId ?? "");
    await payAfterAll(shop, other, other.gatewayId ?? "");
    expect((await findLink(shop.ctx, linkId))?.status).toBe("Paid");
    expect(await returnFrom(shop.ctx, payment)).toBe(
      `http://localhost:3000/thank-you?payment_id=${payment.id}`,
    );
  });

  test("with money that paid a link which another payer has by now does not end at the page of that payer's order", async () => {
    const { shop, linkId, payment } = await paidAfterChange({
      amount: 1_250,
      title: "Satay for one",
      email: "other@example.com",
    });
    expect((await findLink(shop.ctx, linkId))?.status).toBe("Paid");
    expect(await returnFrom(shop.ctx, payment)).toBe(
      `http://localhost:3000/thank-you?payment_id=${payment.id}`,
    );
  });

  test("with money that paid the link brings the shop a payment status of 1", async () => {
    const { shop, payment } = await paidAfterChange({ amount: 1_250, title: "Satay for one" });
    const address = new URL(await returnFrom(shop.ctx, payment));
    expect([address.host, address.searchParams.get("payment_status")]).toEqual([
      "shop.example",
      "1",
    ]);
  });
});

test("the open page of a link that late money paid is closed at the next round of look-ups", async () => {
  const shop = await newBillplzShop(peer);
  const { linkId, payment, bill } = await atBillplz(shop);
  await abandon(shop.ctx, payment, await resolveGateway(shop.ctx));
  const { bank } = await connectChip(chip, shop.ctx);
  const begun = await begin(shop.ctx, linkId, 1);
  if (begun.kind !== "redirect") throw new Error("no page was opened");
  await payAfterAll(shop, payment, bill);
  expect((await findLink(shop.ctx, linkId))?.status).toBe("Paid");
  await runOnce(definePaymentLookUps(), shop.ctx.businessId);
  bank.press(purchaseIn(begun.url), "approve");
  const other = (await paymentsOf(shop)).find(({ gateway }) => gateway === "chip");
  expect(other).toMatchObject({ status: "cancelled", nextCheckAt: null });
  expect(await findLink(shop.ctx, linkId)).toMatchObject({ status: "Paid", openPaymentId: null });
  expect(await ledgerOf(shop as never)).toEqual({ gateway: 1_250, sales: -1_250 });
});
