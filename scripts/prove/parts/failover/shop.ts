import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { systemCtx } from "@/lib/domain/context";
import { connect } from "@/lib/flows/connecting/steps";
import { refundKey } from "@/lib/gateways/stripe/shapes";
import { newId } from "@/lib/kernel/ids";
import type { Bank } from "@/tests/stripe-peer/bank";
import type { StripePeer } from "@/tests/stripe-peer/peer";
import { subscribed } from "../renewals";
import { openShop, type Shop } from "../shop";
import type { Charge, Kept, Paid } from "./books";

/** A shop with an account at a gateway. The gateway keeps its books outside of the database, so that they show what the database lost. */
export type GatewayShop = Shop & { peer: StripePeer; bank: Bank };

/** Opens one in the database that this process uses, with `renewals` that fall due one after the other, `perSecond`. The gateway calls back at `origin`. */
export async function openGatewayShop(
  peer: StripePeer,
  origin: string,
  {
    renewals,
    perSecond,
    name = "Night Market",
  }: { renewals: number; perSecond: number; name?: string },
): Promise<GatewayShop> {
  const shop = await openShop(name);
  const ctx = systemCtx(
    { businessId: shop.businessId, mode: "test" },
    { kind: "operator" },
    "drill",
  );
  const secretKey = `sk_test_${newId()}`;
  const webhookSecret = `whsec_${newId()}`;
  const { _id } = await connect(ctx, { secret_key: secretKey, webhook_secret: webhookSecret });
  const bank = peer.bank(secretKey);
  peer.deliverTo(bank, `${origin}/api/gateways/stripe/callback/${_id}`, webhookSecret);
  const methods = Array.from({ length: renewals }, () => {
    const { customer, id } = bank.saveMethod("works");
    return `${customer}:${id}`;
  });
  await subscribed(ctx, { gateway: "stripe", connectionId: _id }, methods);
  // A worker that runs already may have claimed some.
  await db.execute(sql`
    with placed as (select subscription_id, row_number() over () / ${perSecond}::float8 as seconds from subscription_periods where business_id = ${shop.businessId})
    update subscription_periods set due_at = now() + make_interval(secs => seconds), next_attempt_at = now() + make_interval(secs => seconds)
    from placed where placed.subscription_id = subscription_periods.subscription_id and number = 1 and state = 'due' and fence = 0`);
  return { ...shop, peer, bank };
}

/** What the gateway charged. */
export const chargesOf = ({ bank }: GatewayShop): Charge[] =>
  bank.intents
    .filter(({ status }) => status === "succeeded")
    .map(({ metadata, amount_received, currency }) => ({
      attempt: metadata.kutip_attempt ?? "",
      amount: amount_received,
      currency,
    }));

/** What the gateway gave back. */
export const refundsAtGateway = ({ bank }: GatewayShop): Charge[] =>
  bank.refunds
    .filter(({ status }) => status === "succeeded")
    .map(({ metadata, amount, currency }) => ({
      attempt: metadata[refundKey] ?? "",
      amount,
      currency,
    }));

/** The refunds that the database has as succeeded. */
export async function keptRefunds({ businessId }: GatewayShop): Promise<Paid[]> {
  const { rows } = await db.execute<Paid>(
    sql`select id as attempt, amount, currency, id as cause from refunds where business_id = ${businessId} and status = 'succeeded'`,
  );
  return rows;
}

/** What the database has of links and succeeded payments. */
export async function keptOf({ businessId }: GatewayShop): Promise<Kept> {
  const links = await db.execute<{ id: string; title: string }>(
    sql`select id, title from payment_links where business_id = ${businessId}`,
  );
  const payments = await db.execute<Paid>(
    sql`select id as attempt, amount, currency, coalesce(payment_link_id, subscription_id || ' ' || period_start) as cause
      from payments where business_id = ${businessId} and succeeded_at is not null`,
  );
  return {
    links: new Map(links.rows.map(({ id, title }) => [id, title])),
    payments: payments.rows,
  };
}

/** Makes the renewals due that are still to come, and returns how many of all are paid and open. */
export async function renewalsOf({
  businessId,
}: GatewayShop): Promise<{ paid: number; due: number }> {
  await db.execute(
    sql`update subscription_periods set due_at = now(), next_attempt_at = now() where business_id = ${businessId} and number = 1 and state = 'due' and next_attempt_at > now() + interval '1 minute'`,
  );
  const { rows } = await db.execute<{ paid: number; due: number }>(
    sql`select count(*) filter (where state = 'paid')::int as paid, count(*) filter (where state <> 'paid')::int as due
      from subscription_periods where business_id = ${businessId} and number = 1`,
  );
  return rows[0] ?? { paid: 0, due: 0 };
}
