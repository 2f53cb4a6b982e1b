import { sql } from "drizzle-orm";
import { expect } from "vitest";
import { db } from "@/db/client";
import { createBusiness } from "@/lib/domain/businesses/create";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { create } from "@/lib/domain/payment-links/create";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { returnFrom } from "@/lib/flows/checkout/return";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { reconcileRefund } from "@/lib/flows/refund/reconcile";
import { findRefund, type RefundRow } from "@/lib/domain/payments/refunds/rows";
import { isOpen } from "@/lib/domain/payments/refunds/rules";
import { countsAsPaid, isLive } from "@/lib/domain/payments/rules";
import { pressButton } from "@/lib/gateways/simulator/page";
import { hurry, journalOf } from "@/lib/gateways/simulator/scripting";
import { tick } from "@/lib/gateways/simulator/job";
import type { GatewayAccount } from "@/lib/domain/gateway-connections/account";
import { checkedEventTypes } from "../event-shapes";
import { press as pressAs, referenceOf } from "./setting-verbs";

/** A shop of a test's own in test mode, with its line to the simulator. */
export type Shop = { ctx: Ctx; account: GatewayAccount };

export async function newShop(): Promise<Shop> {
  const business = await createBusiness({ name: "Night Market" });
  const ctx = systemCtx(
    { businessId: business.id, mode: "test" },
    { kind: "operator" },
    "money-test",
  );
  return { ctx, account: await resolveGateway(ctx) };
}

export const newLink = (shop: Shop, amount = 1_250) =>
  create(shop.ctx, {
    email: "payer@example.com",
    currency: "MYR",
    amount,
    title: "Satay for two",
    send_email: false,
  });

export const press = (shop: Shop, linkId: string, version?: number) =>
  pressAs(shop.ctx, linkId, version);

/** The payer chooses an outcome at the gateway and comes back. */
export async function choose(shop: Shop, session: string, outcome: string): Promise<void> {
  await pressButton(session, outcome, "1");
  await comeBack(shop, session);
}

export async function comeBack(shop: Shop, session: string): Promise<void> {
  const reference = await referenceOf(session);
  const payment = reference && (await findPayment(shop.ctx, reference));
  if (payment) await returnFrom(shop.ctx, payment);
}

export async function paymentsOf(shop: Shop): Promise<PaymentRow[]> {
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from payments where business_id = ${shop.ctx.businessId} order by created_at`,
  );
  return Promise.all(rows.map(async ({ id }) => (await findPayment(shop.ctx, id)) as PaymentRow));
}

export async function refundsOf(shop: Shop): Promise<RefundRow[]> {
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from refunds where business_id = ${shop.ctx.businessId} order by created_at, id`,
  );
  return Promise.all(rows.map(async ({ id }) => (await findRefund(shop.ctx, id)) as RefundRow));
}

/** Finishes all open work: open pages expire, pending payments are settled, unknown ones are looked up. */
export async function comeToRest(shop: Shop): Promise<void> {
  for (let round = 0; round < 20; round++) {
    await db.execute(
      sql`update payments set started_at = (select started_at - interval '1 hour') where business_id = ${shop.ctx.businessId} and next_check_at is not null`,
    );
    await hurry(shop.account.connection.id);
    await tick(shop.account.connection.id, "http://127.0.0.1:9");
    const open = (await paymentsOf(shop)).filter(
      (payment) => isLive(payment.status) && !payment.flags.includes("amount_mismatch"),
    );
    const openRefunds = (await refundsOf(shop)).filter((refund) => isOpen(refund.status));
    if (open.length === 0 && openRefunds.length === 0) return;
    for (const payment of open) await reconcile(shop.ctx, payment);
    for (const refund of openRefunds) await reconcileRefund(shop.ctx, refund);
  }
  throw new Error("some payments never come to rest");
}

const money = (rows: ReadonlyArray<{ id: string; amount: number; currency: string }>) =>
  rows.map((row) => `${row.id} ${row.amount} ${row.currency}`).sort();
const byGateway = (row: { connectionId: string | null }) => row.connectionId !== null;

/** What must hold after everything came to rest, however it went: money at the gateway, our payments, refunds, ledger, links and events agree. */
export async function assertBooksAgree(shop: Shop): Promise<void> {
  const journal = await journalOf(shop.account.connection.id);
  const entries = (type: string) => journal.filter((entry) => entry.type === type);
  const [payments, refunds] = [await paymentsOf(shop), await refundsOf(shop)];
  const succeeded = payments.filter((payment) => payment.succeededAt !== null);
  const givenBack = refunds.filter((refund) => refund.status === "succeeded");
  expect(money(succeeded.filter(byGateway))).toEqual(
    money(entries("charge").map((entry) => ({ ...entry, id: entry.reference }))),
  );
  // Each refund here is one refund at the gateway, of the same payment and amount.
  expect(
    money(givenBack.filter(byGateway).map((refund) => ({ ...refund, id: refund.paymentId }))),
  ).toEqual(money(entries("refund").map((entry) => ({ ...entry, id: entry.reference }))));
  for (const payment of payments) {
    const back = givenBack
      .filter((refund) => refund.paymentId === payment.id)
      .reduce((sum, refund) => sum + refund.amount, 0);
    expect(payment.refundedAmount).toBe(back);
    expect(back).toBeLessThanOrEqual(payment.amount);
    if (back > 0)
      expect(payment.status).toBe(back < payment.amount ? "partially_refunded" : "refunded");
  }
  await assertLedgerAgrees(shop, succeeded, givenBack);

  await checkedEventTypes(shop.ctx.businessId);
  const { rows: events } = await db.execute<{ type: string; object_id: string; n: number }>(
    sql`select type, object_id, count(*)::int as n from events where business_id = ${shop.ctx.businessId} and type in ('payment.succeeded', 'payment_link.paid', 'payment.refunded') group by 1, 2`,
  );
  expect(events.every((event) => event.n === 1 || event.type === "payment.refunded")).toBe(true);
  expect(
    events
      .filter((event) => event.type === "payment.succeeded")
      .map((event) => event.object_id)
      .sort(),
  ).toEqual(succeeded.map((payment) => payment.id).sort());
  expect(
    events
      .filter((event) => event.type === "payment.refunded")
      .reduce((sum, event) => sum + event.n, 0),
  ).toBe(givenBack.length);

  const { rows: links } = await db.execute<{ id: string; status: string; open: string | null }>(
    sql`select id, status, open_payment_id as open from payment_links where business_id = ${shop.ctx.businessId}`,
  );
  for (const link of links) {
    const clean = succeeded.filter(
      (payment) => payment.paymentLinkId === link.id && countsAsPaid(payment),
    );
    expect(clean.length).toBe(link.status === "Paid" ? 1 : 0);
    expect(link.open).toBeNull();
    expect(link.status).not.toBe("Processing");
  }
}

async function assertLedgerAgrees(
  shop: Shop,
  succeeded: readonly PaymentRow[],
  givenBack: readonly RefundRow[],
): Promise<void> {
  const { rows: sums } = await db.execute<{ sum: string }>(
    sql`select sum(amount) as sum from ledger_entries where business_id = ${shop.ctx.businessId} group by posting_id`,
  );
  expect(sums.every((row) => Number(row.sum) === 0)).toBe(true);
  const { rows: booked } = await db.execute<{
    id: string;
    kind: string;
    account: string;
    amount: string;
  }>(
    sql`select coalesce(refund_id, payment_id) as id, kind, account, amount from ledger_entries where business_id = ${shop.ctx.businessId} and account in ('gateway', 'manual') and kind <> 'fee'`,
  );
  const expected = (
    row: { id: string; amount: number; connectionId: string | null },
    kind: string,
    sign: number,
  ) => `${row.id} ${kind} ${byGateway(row) ? "gateway" : "manual"} ${sign * row.amount}`;
  expect(booked.map((row) => `${row.id} ${row.kind} ${row.account} ${row.amount}`).sort()).toEqual(
    [
      ...succeeded.map((row) => expected(row, "gross", 1)),
      ...givenBack.map((row) => expected(row, "refund", -1)),
    ].sort(),
  );
}

/** A payer's payment of a new link, at the gateway. */
export async function paidPayment(shop: Shop, amount = 1_000): Promise<PaymentRow> {
  const link = await newLink(shop, amount);
  await choose(shop, (await press(shop, link._id)) as string, "approve");
  const payment = (await paymentsOf(shop)).find(
    (row) => row.paymentLinkId === link._id && row.status === "succeeded",
  );
  if (!payment) throw new Error("the payment did not succeed");
  return payment;
}

/** How often money truly moved for a link. */
export async function chargesOf(shop: Shop, linkId: string): Promise<number> {
  const ids = new Set(
    (await paymentsOf(shop))
      .filter((payment) => payment.paymentLinkId === linkId)
      .map((payment) => payment.id),
  );
  return (await journalOf(shop.account.connection.id)).filter(
    (entry) => entry.type === "charge" && ids.has(entry.reference),
  ).length;
}
