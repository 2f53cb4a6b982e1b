import type { KeyObject } from "node:crypto";
import { db, type Executor, type Tx } from "@/db/client";
import { setwise } from "@/db/sets";
import type { MailKind, Mode } from "@/lib/contract/values";
import type { PaymentLink } from "@/lib/contract/payment-links";
import type { Payment } from "@/lib/contract/payments";
import type { Subscription } from "@/lib/contract/subscriptions";
import { renderPaymentLinkMail } from "@/lib/mail/templates/payment-link-mail";
import { renderRefundMail } from "@/lib/mail/templates/refund-mail";
import { renderReceiptMail } from "@/lib/mail/templates/receipt-mail";
import type { RenderedMail } from "@/lib/mail/templates/layout";
import {
  renderSubscriptionMail,
  type SubscriptionStep,
} from "@/lib/mail/templates/subscription-mails";
import { derivedId } from "@/lib/kernel/ids";
import { displayAmount } from "@/lib/kernel/money";
import { seal } from "@/lib/kernel/secrets";
import { logoOut } from "../logo-address";
import { type BusinessRow, findBusiness } from "../businesses/rows";
import { type Ctx, systemCtx } from "../context";
import { queuedEvents } from "../events/queue-rows";
import type { EventRow } from "../events/rows";
import { keysFor } from "../payers/rows";
import { ERASED_EMAIL, normalAddress, type PayerKey, sealContent } from "../payers/rules";
import { paymentUrl } from "../payment-links/present";
import { findLinkEver } from "../payment-links/payer-rows";
import { referencesOf as linkReferences } from "../payment-links/references";
import type { LinkRow } from "../payment-links/rows";
import { receiptAddress, receiptKey } from "../payments/receipt-address";
import { hasPaymentUnderWay, isFromEarlierPayer } from "../payments/payer-rows";
import { referencesOf as paidReferences } from "../payments/references";
import { isRecordedRefund } from "../payments/refunds/rows";
import { findPayment } from "../payments/rows";
import { findSubscriptionEver } from "../subscriptions/rows";
import { find as findTokenization } from "../tokenizations/rows";
import { insertMails, type NewMail } from "./rows";
import type { LinkMailKind } from "./rules";

type Composed = { mail: RenderedMail; recipient: string; objectId: string; kind?: string };

/**
 * Writes the payer's mail an event asks for into the outbox, dated as the event. A request to pay a link that was deleted meanwhile is left out, and
 * what would go to an erased payer. `isSecond`: the event was read again.
 */
export async function composeFor(tx: Tx, event: EventRow, isSecond = false): Promise<void> {
  const ctx = systemCtx(event, { kind: "clock" }, event.id);
  const business = await businessOf(ctx, tx, event.businessId);
  if (!business) throw new Error("an event of a business that does not exist");
  const composed = await compose(tx, event, business);
  if (!composed) return;
  const { mail, recipient, objectId, kind = event.mail ?? "" } = composed;
  if (recipient === ERASED_EMAIL) return;
  const key = await keyOfPayer(ctx, tx, normalAddress(recipient));
  // An erasure may have deleted the key since the records were read: they say so now.
  if (key?.made && !isSecond) {
    const [now] = await queuedEvents(tx, [{ businessId: event.businessId, eventId: event.id }]);
    return now && composeFor(tx, now, true);
  }
  await composeMail(ctx, tx, {
    id: derivedId(Number.parseInt(event.id.slice(0, 8), 16) * 1_000, "mail", event.id, kind),
    businessId: event.businessId,
    mode: event.mode,
    kind,
    cause: event.id,
    objectId,
    recipient,
    ...sealedWith(key, mail),
    createdAt: event.createdAt,
  });
}

const businessOf = setwise<Ctx, number, BusinessRow | undefined>(async (_ctx, tx, ids) => {
  const [id = 0] = ids;
  const business = await findBusiness(id, tx);
  return ids.map(() => business);
});

const keyOfPayer = setwise<Ctx, string, (PayerKey & { made: boolean }) | undefined>(
  async ({ businessId }, tx, addresses) => {
    const keys = await keysFor(tx, businessId, addresses);
    return addresses.map((address) => keys.get(address));
  },
);

const keyOfReceipts = setwise<Ctx, string, KeyObject>(async (_ctx, tx, ids) => {
  const key = await receiptKey(tx);
  return ids.map(() => key);
});

const composeMail = setwise<Ctx, NewMail, void>(async (_ctx, tx, mails) => {
  await insertMails(tx, mails);
  return [];
});

/** The keys of payers, made for those who have none. */
export async function keysOfPayers(
  tx: Executor,
  businessId: number,
  recipients: readonly string[],
) {
  const keys = await keysFor(tx, businessId, [...new Set(recipients.map(normalAddress))]);
  return (recipient: string) => keys.get(normalAddress(recipient));
}

/** What the outbox keeps of a payer's mail: its content is sealed for the payer, and again like that of every mail. */
export function sealedWith(key: PayerKey | undefined, { subject, html, text }: RenderedMail) {
  if (!key) throw new Error("a payer's key was not written");
  return {
    subject,
    html: seal(sealContent(html, key), "mail"),
    text: seal(sealContent(text, key), "mail"),
  };
}

type Compose = (tx: Tx, event: EventRow, business: BusinessRow) => Promise<Composed | undefined>;

/** Events ask for a receipt or a refund's mail; what the payment was for makes one of these kinds of it. */
type MadeOf = `${"subscription" | "token"}_${"receipt" | "refund"}`;

/** A mail of each kind that events ask for. */
const composers: Record<Exclude<MailKind, MadeOf>, Compose> = {
  payment_link: linkMail("payment_link"),
  payment_reminder: linkMail("payment_reminder"),
  receipt,
  refund,
  payment_due: subscriptionMail("payment_due"),
  payment_overdue: subscriptionMail("payment_overdue"),
  payment_failed: subscriptionMail("payment_failed"),
  payment_unconfirmed: subscriptionMail("payment_unconfirmed"),
  subscription_halted: subscriptionMail("subscription_halted"),
  subscription_cancelled: subscriptionMail("subscription_cancelled"),
};

async function compose(...[tx, event, business]: Parameters<Compose>) {
  const kind = event.mail ?? "";
  return Object.hasOwn(composers, kind)
    ? composers[kind as keyof typeof composers](tx, event, business)
    : undefined;
}

const setting = ({ mode }: { mode: Mode }, business: BusinessRow) => ({
  business: { ...business, logo: business.logo && logoOut(business.logo) },
  test: mode === "test",
  timeZone: business.timeZone,
});

/** The mail that asks the payer of a link to pay, as the outbox keeps it. */
export const contentOfLink = (
  link: LinkRow,
  business: BusinessRow,
  kind: LinkMailKind,
  keyOf: (recipient: string) => PayerKey | undefined,
) => ({
  recipient: link.email,
  ...sealedWith(keyOf(link.email), linkMailOf(link, business, kind)),
});

/** What the outbox keeps of that mail if it is written now; empty without the link. */
export async function linkContentNow(
  ctx: Ctx,
  id: string,
  kind: LinkMailKind,
): Promise<Partial<ReturnType<typeof contentOfLink>>> {
  const [link, business] = await Promise.all([
    findLinkEver(ctx, id, db),
    findBusiness(ctx.businessId),
  ]);
  if (!link || !business) return {};
  const keyOf = await keysOfPayers(db, ctx.businessId, [link.email]);
  return contentOfLink(link, business, kind, keyOf);
}

function linkMail(kind: LinkMailKind): Compose {
  return async (tx, event, business) => {
    // A batch composes for many links: locking each of them could deadlock with other changes of several.
    const link = await findLinkEver(
      systemCtx(event, { kind: "clock" }, event.id),
      event.objectId,
      tx,
    );
    if (!link || link.deletedAt !== null) return undefined;
    // A later edit gave the link to another payer, whom it mails only if it says so itself.
    const { email } = event.data as PaymentLink;
    if (normalAddress(email) !== normalAddress(link.email)) return undefined;
    return { mail: linkMailOf(link, business, kind), recipient: link.email, objectId: link.id };
  };
}

/** The mail that asks the payer of a link to pay. */
const linkMailOf = (link: LinkRow, business: BusinessRow, kind: LinkMailKind): RenderedMail =>
  renderPaymentLinkMail({
    reminder: kind === "payment_reminder",
    overdue: link.overdue,
    ...setting(link, business),
    title: link.title,
    references: linkReferences(link),
    amount: displayAmount(link.amount, link.currency),
    description: link.description,
    address: paymentUrl(link.id, link.mode),
    expiresAt: link.expiresAt,
    dueAt: link.dueAt,
  });

/** Of a link's payment, or of a saved method that was charged. */
async function receipt(
  tx: Tx,
  event: EventRow,
  business: BusinessRow,
): Promise<Composed | undefined> {
  const found = await paidFor(tx, event);
  if (!found) return undefined;
  const { ctx, payment, noun, title, references, method, to } = found;
  const mail = renderReceiptMail({
    ...setting(event, business),
    title,
    references,
    amount: displayAmount(payment.amount, payment.currency),
    paidAt: payment.succeededAt ?? payment.updatedAt,
    paymentId: payment.id,
    method,
    receiptUrl: receiptAddress(await keyOfReceipts(ctx, tx, payment.id), payment.id, "payer"),
  });
  return { mail, ...to, ...(noun ? { kind: `${noun}_receipt` } : {}) };
}

/**
 * Speaks of the one refund: how much more had gone back by then than before. Nothing goes to the later payer of a link about money that an earlier one
 * paid for something else.
 */
async function refund(
  tx: Tx,
  event: EventRow,
  business: BusinessRow,
): Promise<Composed | undefined> {
  const found = await paidFor(tx, event);
  if (!found) return undefined;
  const { ctx, payment, noun, title, references, to } = found;
  if (await isFromEarlierPayer(ctx, tx, payment)) return undefined;
  const { refunded_amount: inAll } = event.data as Payment;
  const before = (event.previous as Partial<Payment> | null)?.refunded_amount ?? 0;
  const amount = inAll - before;
  const { createdAt: at } = event;
  const mail = renderRefundMail({
    ...setting(event, business),
    title,
    references,
    amount: displayAmount(amount, payment.currency),
    paid: displayAmount(payment.amount, payment.currency),
    refundedInAll: before > 0 ? displayAmount(inAll, payment.currency) : null,
    refundedAt: at,
    paymentId: payment.id,
    // The event and the refund are written at the same moment.
    throughGateway: !(await isRecordedRefund(ctx, tx, { paymentId: payment.id, amount, at })),
  });
  return { mail, ...to, ...(noun ? { kind: `${noun}_refund` } : {}) };
}

/** What an event's payment was for, and its recipient; undefined without one. */
async function paidFor(tx: Tx, event: EventRow) {
  const ctx = systemCtx(event, { kind: "clock" }, event.id);
  const payment = await findPayment(ctx, event.objectId, tx);
  if (!payment) return undefined;
  const link =
    payment.paymentLinkId === null ? undefined : await findLinkEver(ctx, payment.paymentLinkId, tx);
  const subscription =
    link || payment.subscriptionId === null
      ? undefined
      : await findSubscriptionEver(ctx, payment.subscriptionId, tx);
  const token =
    payment.tokenizationId === null
      ? undefined
      : await findTokenization(ctx, payment.tokenizationId, tx);
  const about = link ?? subscription ?? (payment.subscriptionId === null ? token : undefined);
  return (
    about && {
      ctx,
      payment,
      /** What the mail is about, where that is no link. */
      noun: link ? null : subscription ? "subscription" : "token",
      title: payment.title,
      references: paidReferences(payment, link),
      method: token?.brand && token.last4 ? `${token.brand} ${token.last4}` : null,
      // A mail may name the card, so its owner gets it. The link or subscription may have another address since then.
      to: { recipient: (token ?? about).email, objectId: about.id },
    }
  );
}

/** Speaks of the subscription as it was at this step, not as it has become since. */
function subscriptionMail(step: SubscriptionStep): Compose {
  return async (tx, event, business) => {
    const then = event.data as Subscription;
    const [link] = then.payment_links;
    const { current_period_start: start, current_period_end: end } = then;
    const mail = renderSubscriptionMail({
      ...setting(event, business),
      step,
      title: then.package.name,
      amount: displayAmount(then.package.amount, then.package.currency),
      period: start && end ? { start, end } : null,
      address: link && link.status !== "Cancelled" && !link.paid ? link.payment_url : null,
      retryAt: then.next_charge_at,
      mayStillPay:
        step === "subscription_cancelled" &&
        (await hasPaymentUnderWay(
          systemCtx(event, { kind: "clock" }, event.id),
          tx,
          event.objectId,
        )),
    });
    return {
      mail,
      recipient: then.email,
      objectId: step === "subscription_cancelled" || !link ? then._id : link._id,
    };
  };
}
