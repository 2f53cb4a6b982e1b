import type { PaymentQuery } from "@/lib/contract/payments";
import type { TimelineEntry } from "@/lib/contract/timeline";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { namesOf } from "../actors/rows";
import { eventsAbout } from "../events/rows";
import { mailsAbout } from "../mails/rows";
import { findCustomer } from "../customers/rows";
import { listLinks } from "../payment-links/list-rows";
import { findLink } from "../payment-links/rows";
import { listPayments } from "../payments/list-rows";
import { withPayers } from "../payments/payer-rows";
import { findPayment } from "../payments/rows";
import { findSubscription, listSubscriptions } from "../subscriptions/rows";
import { find as findToken, listTokenizations } from "../tokenizations/rows";
import { type Draft, finished, ofAttempt, ofEvent, ofMail, ofOpening } from "./entries";

const MAX_ENTRIES = 200;
const newest = { sort: "-created_at", limit: 100, offset: 0, back: false } as const;

type About = {
  id: string;
  /** Further records: their events and mails belong to it. */
  records?: readonly string[];
  payer: string;
  openedAt: string | null;
  payments: PaymentQuery;
};

async function timeline(
  ctx: Ctx,
  { id, records = [], payer, openedAt, payments: which }: About,
): Promise<TimelineEntry[]> {
  const [payments, mails] = await Promise.all([
    listPayments(ctx, which, newest),
    mailsAbout(ctx, [id, ...records]),
  ]);
  const events = await eventsAbout(
    ctx,
    [id, ...records, ...payments.map((payment) => payment.id)],
    MAX_ENTRIES,
  );
  const drafts: Draft[] = [
    ...events.map(ofEvent),
    ...mails.map((mail) => ofMail(mail, events)),
    ...payments.flatMap(ofAttempt),
    ...(openedAt ? [ofOpening(openedAt)] : []),
  ];
  return newestOf(ctx, drafts, payer);
}

async function newestOf(ctx: Ctx, drafts: readonly Draft[], payer: string | null) {
  const names = await namesOf(
    ctx,
    drafts.map(({ actor }) => actor),
  );
  return finished(drafts, names, payer, MAX_ENTRIES);
}

/** What happened to a payment link: its events, attempts, mails, and when it was first opened. Throws 404. */
export async function ofPaymentLink(ctx: Ctx, id: string): Promise<TimelineEntry[]> {
  const row = await findLink(ctx, id);
  if (!row) throw notFound();
  return timeline(ctx, {
    id,
    payer: row.email,
    openedAt: row.firstOpenedAt,
    payments: { payment_link_id: id },
  });
}

/** What happened to one payment, and when the link or subscription that was paid was deleted. Throws 404. */
export async function ofPayment(ctx: Ctx, id: string): Promise<TimelineEntry[]> {
  const row = await findPayment(ctx, id);
  const [payment] = row ? await withPayers(ctx, [row]) : [];
  if (!payment) throw notFound();
  const paid = [payment.paymentLinkId, payment.subscriptionId].filter((one) => one !== null);
  const [events, deletions] = await Promise.all([
    eventsAbout(ctx, id, MAX_ENTRIES),
    eventsAbout(ctx, paid, MAX_ENTRIES, ["payment_link.deleted", "subscription.deleted"]),
  ]);
  const drafts = [...[...events, ...deletions].map(ofEvent), ...ofAttempt(payment)];
  return (await newestOf(ctx, drafts, payment.email)).map(namingRecord);
}

/** What happened to a tokenization, its charges included. Throws 404. */
export async function ofTokenization(ctx: Ctx, token: string): Promise<TimelineEntry[]> {
  const row = await findToken(ctx, token);
  if (!row) throw notFound();
  return timeline(ctx, {
    id: row.id,
    payer: row.email,
    openedAt: null,
    payments: { tokenization_id: row.id },
  });
}

/** What happened to a subscription, its payments included. Throws 404. */
export async function ofSubscription(ctx: Ctx, id: string): Promise<TimelineEntry[]> {
  const row = await findSubscription(ctx, id);
  if (!row) throw notFound();
  return timeline(ctx, { id, payer: row.email, openedAt: null, payments: { subscription_id: id } });
}

const recordNames: Record<string, string> = {
  payment_link: "Payment link",
  tokenization: "Token",
  subscription: "Subscription",
};

/** An entry among those of several records: its title says of which kind the record is. */
function namingRecord(entry: TimelineEntry): TimelineEntry {
  const name = recordNames[entry.kind.split(".")[0] ?? ""];
  return name ? { ...entry, title: `${name} ${entry.title.toLowerCase()}` } : entry;
}

/** What happened to a customer and to their newest links, tokenizations, subscriptions and payments. Throws 404. */
export async function ofCustomer(ctx: Ctx, id: string): Promise<TimelineEntry[]> {
  const customer = await findCustomer(ctx, id);
  if (!customer) throw notFound();
  const { email } = customer;
  const records = await Promise.all([
    listLinks(ctx, { email }, newest),
    listTokenizations(ctx, { email }, newest),
    listSubscriptions(ctx, { email }, newest),
  ]);
  const entries = await timeline(ctx, {
    id,
    records: records.flat().map((record) => record.id),
    payer: email,
    openedAt: null,
    payments: { email },
  });
  return entries.map(namingRecord);
}
