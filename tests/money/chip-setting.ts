import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import type { Ctx } from "@/lib/domain/context";
import { create } from "@/lib/domain/payment-links/create";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { create as createToken } from "@/lib/domain/tokenizations/create";
import { find as findToken } from "@/lib/domain/tokenizations/rows";
import { lookUp as lookUpSaving } from "@/lib/flows/activation/reconcile";
import { begin as beginSaving } from "@/lib/flows/activation/steps";
import { begin } from "@/lib/flows/checkout/steps";
import { returnFrom } from "@/lib/flows/checkout/return";
import { connect } from "@/lib/flows/connecting/steps";
import { receiveCallback } from "@/lib/http/callback";
import type { Bank, Outcome } from "../chip-peer/bank";
import type { ChipPeer } from "../chip-peer/peer";
import { type Keys, signed } from "../chip-peer/signing";
import { newBusiness } from "./stripe-setting";

/** A test's own business, with its own company at the CHIP test server. */
export type ChipShop = { ctx: Ctx; bank: Bank; secret: string; connectionId: string };

export async function newChipShop(
  peer: ChipPeer,
  mode: "test" | "live" = "test",
): Promise<ChipShop> {
  return connectChip(peer, await newBusiness(mode));
}

/** Connects a new company of the test server to a business. */
export async function connectChip(peer: ChipPeer, ctx: Ctx): Promise<ChipShop> {
  const { bank, secret } = peer.open(ctx.mode);
  const input = { gateway: "chip", secret_key: secret, brand_id: bank.brandId } as const;
  const { _id } = await connect(ctx, input);
  return { ctx, bank, secret, connectionId: _id };
}

export const purchaseIn = (url: string) => new URL(url).pathname.split("/")[2] ?? "";

export async function paymentsOf({ ctx }: { ctx: Ctx }): Promise<PaymentRow[]> {
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from payments where business_id = ${ctx.businessId} order by created_at`,
  );
  return Promise.all(rows.map(async ({ id }) => (await findPayment(ctx, id)) as PaymentRow));
}

/** Returns the id of a new link. */
export async function newChipLink({ ctx }: ChipShop, amount = 1_250): Promise<string> {
  const link = await create(ctx, {
    email: "payer@example.com",
    currency: "MYR",
    amount,
    title: "Satay for two",
    send_email: false,
  });
  return link._id;
}

/** A payer at CHIP's page for a new link; the attempt, and its purchase. */
export async function atChip(
  shop: ChipShop,
  amount?: number,
): Promise<{ linkId: string; payment: PaymentRow; purchase: string }> {
  const linkId = await newChipLink(shop, amount);
  const begun = await begin(shop.ctx, linkId, 1);
  if (begun.kind !== "redirect") throw new Error(`no page was opened: ${begun.kind}`);
  const payment = (await paymentsOf(shop)).find((one) => one.paymentLinkId === linkId);
  if (!payment) throw new Error("there is no attempt");
  return { linkId, payment, purchase: purchaseIn(begun.url) };
}

export async function comeBack(shop: ChipShop, id: string): Promise<PaymentRow> {
  await returnFrom(shop.ctx, (await findPayment(shop.ctx, id)) as PaymentRow);
  return (await findPayment(shop.ctx, id)) as PaymentRow;
}

/** Paid at CHIP by a payer who has come back. */
export async function paidAtChip(
  shop: ChipShop,
  amount = 1_250,
  outcome: Outcome = "approve",
): Promise<PaymentRow> {
  const { payment, purchase } = await atChip(shop, amount);
  shop.bank.press(purchase, outcome);
  return comeBack(shop, payment.id);
}

/** A payer has saved a card on CHIP's page. Returns the token and the id of its record. */
export async function savedAtChip(shop: ChipShop): Promise<{ id: string; token: string }> {
  const { _id, token } = await createToken(shop.ctx, {
    email: "payer@example.com",
    title: "Membership",
    description: "Renewed every month",
  });
  const begun = await beginSaving(token, "chip-test");
  if (begun.kind !== "redirect") throw new Error(`no page was opened: ${begun.kind}`);
  shop.bank.press(purchaseIn(begun.url), "approve");
  const row = await findToken(shop.ctx, _id);
  if (row) await lookUpSaving(shop.ctx, row);
  return { id: _id, token };
}

/** CHIP calls back with these bytes. Returns the status of our response. */
export async function callBack(
  shop: ChipShop,
  body: string,
  keys: Keys = shop.bank.keys,
): Promise<number> {
  const request = new Request("http://localhost:3000/api/gateways/chip/callback/x", {
    method: "POST",
    headers: { "content-type": "application/json", "x-signature": signed(body, keys) },
    body,
  });
  const params = { gateway: "chip", connection_id: shop.connectionId };
  return (await receiveCallback(request, { params })).status;
}

export const lastEvent = ({ bank }: ChipShop, type: string): string => {
  const sent = bank.events.findLast((event) => event.type === type);
  if (!sent) throw new Error(`there is no event ${type}`);
  return sent.body;
};
