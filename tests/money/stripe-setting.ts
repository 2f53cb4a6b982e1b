import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { createBusiness } from "@/lib/domain/businesses/create";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { connect } from "@/lib/flows/connecting/steps";
import { create } from "@/lib/domain/payment-links/create";
import { begin } from "@/lib/flows/checkout/steps";
import { receive } from "@/lib/flows/callback/steps";
import { returnFrom } from "@/lib/flows/checkout/return";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { begin as beginSaving } from "@/lib/flows/activation/steps";
import { create as createToken } from "@/lib/domain/tokenizations/create";
import { lookUp as lookUpSaving } from "@/lib/flows/activation/reconcile";
import { find as findToken } from "@/lib/domain/tokenizations/rows";
import { newId } from "@/lib/kernel/ids";
import type { Bank } from "../stripe-peer/bank";
import type { Behaviour, Outcome } from "../stripe-peer/objects";
import { signed, type StripePeer } from "../stripe-peer/peer";

/** A test's own business, with its own account at the Stripe test server. */
export type StripeShop = {
  ctx: Ctx;
  peer: StripePeer;
  bank: Bank;
  connectionId: string;
  secretKey: string;
  webhookSecret: string;
};

export async function newBusiness(mode: "test" | "live" = "test"): Promise<Ctx> {
  const business = await createBusiness({ name: "Night Market" });
  return systemCtx({ businessId: business.id, mode }, { kind: "operator" }, "stripe-test");
}

export async function newStripeShop(
  peer: StripePeer,
  mode: "test" | "live" = "test",
): Promise<StripeShop> {
  const ctx = await newBusiness(mode);
  const secretKey = `sk_${mode}_${newId()}`;
  const webhookSecret = `whsec_${newId()}`;
  const { _id } = await connect(ctx, { secret_key: secretKey, webhook_secret: webhookSecret });
  return { ctx, peer, bank: peer.bank(secretKey), connectionId: _id, secretKey, webhookSecret };
}

/** A payer at Stripe's page for a new link; the attempt, and its page's id. */
export async function atStripe(
  shop: StripeShop,
  amount = 1_250,
  currency = "MYR",
): Promise<{ linkId: string; payment: PaymentRow; session: string }> {
  const link = await create(shop.ctx, {
    email: "payer@example.com",
    currency,
    amount,
    title: "Satay for two",
    send_email: false,
  });
  const begun = await begin(shop.ctx, link._id, 1);
  if (begun.kind !== "redirect") throw new Error(`no page was opened: ${begun.kind}`);
  const payment = (await paymentsOf(shop)).find((one) => one.paymentLinkId === link._id);
  if (!payment) throw new Error("there is no attempt");
  return { linkId: link._id, payment, session: begun.url.split("/").at(-1) ?? "" };
}

/** A payer has saved a method at Stripe that behaves so when it is charged. Returns the token. */
export async function savedAtStripe(
  shop: StripeShop,
  behaviour: Behaviour = "works",
): Promise<string> {
  const { _id, token } = await createToken(shop.ctx, {
    email: "payer@example.com",
    title: "Membership",
    description: "Renewed every month",
  });
  const begun = await beginSaving(token, "stripe-test");
  if (begun.kind !== "redirect") throw new Error(`no page was opened: ${begun.kind}`);
  shop.bank.press(begun.url.split("/").at(-1) ?? "", "approve");
  await lookUpSaving(
    shop.ctx,
    (await findToken(shop.ctx, _id)) as NonNullable<Awaited<ReturnType<typeof findToken>>>,
  );
  for (const method of shop.bank.methods) method.behaviour = behaviour;
  return token;
}

export async function comeBack(shop: StripeShop, id: string): Promise<PaymentRow> {
  const payment = await findPayment(shop.ctx, id);
  if (!payment) throw new Error("no such payment");
  await returnFrom(shop.ctx, payment);
  return (await findPayment(shop.ctx, id)) as PaymentRow;
}

/** Paid at Stripe by a payer who has come back. */
export async function paidAtStripe(
  shop: StripeShop,
  amount = 1_250,
  outcome: Outcome = "approve",
): Promise<PaymentRow> {
  const { payment, session } = await atStripe(shop, amount);
  shop.bank.press(session, outcome);
  return comeBack(shop, payment.id);
}

/** Stripe calls back with these bytes; the work that follows is done too. */
export async function callBack(
  shop: StripeShop,
  body: string,
  secret = shop.webhookSecret,
): Promise<void> {
  const headers = new Headers({ "stripe-signature": signed(body, secret) });
  await (
    await receive(
      "stripe",
      shop.connectionId,
      new TextEncoder().encode(body),
      headers,
      "stripe-test",
    )
  ).work();
}

export async function paymentsOf({ ctx }: StripeShop): Promise<PaymentRow[]> {
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from payments where business_id = ${ctx.businessId} order by created_at`,
  );
  return Promise.all(rows.map(async ({ id }) => (await findPayment(ctx, id)) as PaymentRow));
}

/** What the ledger says of each account, in minor units. */
export async function ledgerOf({ ctx }: StripeShop): Promise<Record<string, number>> {
  const { rows } = await db.execute<{ account: string; sum: string }>(
    sql`select account, sum(amount) as sum from ledger_entries where business_id = ${ctx.businessId} group by account`,
  );
  return Object.fromEntries(rows.map(({ account, sum }) => [account, Number(sum)]));
}

export async function callbacksOf({
  connectionId,
}: StripeShop): Promise<Array<{ event_id: string; state: string; problem: string | null }>> {
  const { rows } = await db.execute<{ event_id: string; state: string; problem: string | null }>(
    sql`select event_id, state, problem from gateway_events where connection_id = ${connectionId} order by created_at`,
  );
  return rows;
}

export async function eventsOf({ ctx }: StripeShop, type: string): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(
    sql`select count(*)::int as n from events where business_id = ${ctx.businessId} and type = ${type}`,
  );
  return rows[0]?.n ?? 0;
}
