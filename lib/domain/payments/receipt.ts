import { db } from "@/db/client";
import type { ReceiptContent } from "@/lib/compute/tasks";
import { cardLabel, manualMethodLabels, methodLabel } from "@/lib/contract/payment-methods";
import { conflict, notFound } from "@/lib/kernel/problem";
import { logoToDraw } from "../businesses/logo";
import { findBusiness } from "../businesses/rows";
import type { Ctx } from "../context";
import { customerOf } from "../customers/rows";
import { findLinkEver } from "../payment-links/payer-rows";
import { ERASED_EMAIL } from "../payers/rules";
import { isFromEarlierPayer, type PayerFacts, withPayers } from "./payer-rows";
import { receiptAddress, receiptKey } from "./receipt-address";
import { referencesOf } from "./references";
import { succeededBeside, succeededRefunds } from "./refunds/rows";
import { findPayment, type PaymentRow } from "./rows";

const paid: readonly PaymentRow["status"][] = ["succeeded", "partially_refunded", "refunded"];

/** Whether there is a receipt: the money came in, and no dispute is open. */
export const hasReceipt = ({ status, succeededAt }: PaymentRow): boolean =>
  paid.includes(status) && succeededAt !== null;

/** The address of a payment's receipt for the pages that anyone can open; null where it has none. */
export const receiptUrlOf = async (payment: PaymentRow): Promise<string | null> =>
  hasReceipt(payment) ? receiptAddress(await receiptKey(db), payment.id, "page") : null;

/** What the receipt of a payment that succeeded says, refunded or not. Throws 404, 409. */
export async function receipt(ctx: Ctx, id: string): Promise<ReceiptContent> {
  const row = await findPayment(ctx, id);
  const [payment] = row ? await withPayers(ctx, [row]) : [];
  if (!payment) throw notFound();
  if (!paid.includes(payment.status) || payment.succeededAt === null)
    throw conflict(
      "There is a receipt only for a payment that succeeded and that no dispute holds.",
    );
  const business = await findBusiness(ctx.businessId);
  if (!business) throw new Error("a payment of a business that does not exist");
  return {
    business: {
      name: business.name,
      accent: business.accent,
      supportEmail: business.supportEmail,
      supportPhone: business.supportPhone,
      timeZone: business.timeZone,
    },
    logo: business.logo ? await logoToDraw(ctx) : null,
    test: ctx.mode === "test",
    title: payment.title,
    amount: payment.amount,
    ...(await refundsOf(ctx, payment)),
    currency: payment.currency,
    payer: await payerOf(ctx, payment),
    method: methodOf(payment),
    references: referencesOf(payment, await linkOf(ctx, payment)).filter(
      (reference) => reference !== null,
    ),
    paidAt: payment.succeededAt,
    paymentId: payment.id,
  };
}

const linkOf = async (ctx: Ctx, { paymentLinkId }: PaymentRow) =>
  paymentLinkId === null ? undefined : findLinkEver(ctx, paymentLinkId);

const SHOWN_REFUNDS = 8;

async function refundsOf(ctx: Ctx, { id, refundedAmount }: PaymentRow) {
  const rows = refundedAmount === 0 ? [] : await succeededRefunds(ctx, id, SHOWN_REFUNDS);
  const ids = rows.map((row) => row.id);
  return {
    refunds: rows.map(({ amount, succeededAt, updatedAt }) => ({
      amount,
      at: succeededAt ?? updatedAt,
    })),
    earlierRefunds:
      ids.length < SHOWN_REFUNDS ? { count: 0, amount: 0 } : await succeededBeside(ctx, id, ids),
  };
}

async function payerOf(ctx: Ctx, payment: PaymentRow & PayerFacts): Promise<string[]> {
  const { email } = payment;
  if (email === null || email === ERASED_EMAIL || (await isFromEarlierPayer(ctx, db, payment)))
    return [];
  const name = (await customerOf(ctx, db, email))?.name;
  return name ? [name, email] : [email];
}

function methodOf({ cardBrand, cardLast4, paidWith, method }: PaymentRow & PayerFacts) {
  const card = cardLabel(cardBrand, cardLast4);
  if (card || paidWith) return card ?? methodLabel(paidWith ?? "");
  return method && manualMethodLabels[method];
}
