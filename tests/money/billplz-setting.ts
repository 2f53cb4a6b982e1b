import { create } from "@/lib/domain/payment-links/create";
import type { Ctx } from "@/lib/domain/context";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { begin } from "@/lib/flows/checkout/steps";
import { returnFrom } from "@/lib/flows/checkout/return";
import { connect } from "@/lib/flows/connecting/steps";
import { receiveCallback } from "@/lib/http/callback";
import type { BillplzPeer } from "../billplz-peer/peer";
import type { Outcome, Shop as Account } from "../billplz-peer/shop";
import { paymentsOf } from "./chip-setting";
import { newBusiness } from "./stripe-setting";

/** A test's own business, with its own account at the Billplz test server. */
export type BillplzShop = { ctx: Ctx; account: Account; secret: string; connectionId: string };

export const newBillplzShop = async (
  peer: BillplzPeer,
  mode: "test" | "live" = "test",
): Promise<BillplzShop> => connectBillplz(peer, await newBusiness(mode));

/** Connects a new account of the test server to a business. */
export async function connectBillplz(peer: BillplzPeer, ctx: Ctx): Promise<BillplzShop> {
  const { shop: account, secret } = peer.open(ctx.mode);
  const { _id } = await connect(ctx, {
    gateway: "billplz",
    secret_key: secret,
    collection_id: account.collectionId,
    webhook_secret: account.xSignatureKey,
  });
  return { ctx, account, secret, connectionId: _id };
}

export const newBillLink = async (ctx: Ctx, amount = 1_250, currency = "MYR"): Promise<string> =>
  (
    await create(ctx, {
      email: "payer@example.com",
      currency,
      amount,
      title: "Satay for two",
      reference: "INV-77",
      send_email: false,
    })
  )._id;

/** A payer at the page of a bill for a new link; the attempt, and the bill's id. */
export async function atBillplz(shop: BillplzShop, amount = 1_250) {
  const linkId = await newBillLink(shop.ctx, amount);
  const begun = await begin(shop.ctx, linkId, 1);
  if (begun.kind !== "redirect") throw new Error(`no page was opened: ${begun.kind}`);
  const payment = (await paymentsOf(shop)).find((one) => one.paymentLinkId === linkId);
  if (!payment) throw new Error("there is no attempt");
  return { linkId, payment, bill: payment.gatewayId ?? "", url: begun.url };
}

export async function comeBack({ ctx }: BillplzShop, id: string): Promise<PaymentRow> {
  await returnFrom(ctx, (await findPayment(ctx, id)) as PaymentRow);
  return (await findPayment(ctx, id)) as PaymentRow;
}

/** Paid at Billplz by a payer who has come back. */
export async function paidAtBillplz(
  shop: BillplzShop,
  amount = 1_250,
  outcome: Outcome = "approve",
): Promise<PaymentRow> {
  const { payment, bill } = await atBillplz(shop, amount);
  shop.account.press(bill, outcome);
  return comeBack(shop, payment.id);
}

/** Billplz calls back with this form. Returns the status of our response. */
export async function callBack({ connectionId }: BillplzShop, body: string): Promise<number> {
  const request = new Request("http://localhost:3000/api/gateways/billplz/callback/x", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body,
  });
  const params = { gateway: "billplz", connection_id: connectionId };
  return (await receiveCallback(request, { params })).status;
}
