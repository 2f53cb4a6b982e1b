import { db } from "@/db/client";
import { compute } from "@/lib/compute/pool";
import { findBusiness } from "@/lib/domain/businesses/rows";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { findLinkEver } from "@/lib/domain/payment-links/payer-rows";
import { hasReceipt, receipt } from "@/lib/domain/payments/receipt";
import { readReceiptAddress, receiptKey } from "@/lib/domain/payments/receipt-address";
import { type PaymentRow, unscopedFindPayment } from "@/lib/domain/payments/rows";
import { consume } from "@/lib/domain/limits/limits";
import { notFound } from "@/lib/kernel/problem";
import { payerPage, type Visit } from "./answer";
import { countVisit } from "./guard";
import { paidOutcome, paymentFacts } from "./link-view";
import type { PayerView } from "./view";

/** The receipt of a payment as a PDF, at the address that its payer was given. */
export async function showReceipt(visit: Visit): Promise<Response> {
  const { context, requestId } = visit;
  const name = String((await context.params)?.receipt);
  const address = readReceiptAddress(await receiptKey(db), name);
  if (!address) throw notFound();
  const { id, reader } = address;
  await countVisit(id);
  await consume("payer_receipt", id);
  const payment = await unscopedFindPayment(id);
  if (!payment || payment.succeededAt === null) throw notFound();
  const ctx = systemCtx(payment, { kind: "payer" }, requestId);
  if (!hasReceipt(payment)) return payerPage(visit, await withoutReceipt(ctx, payment));
  const content = await receipt(ctx, id);
  const payer = reader === "payer" ? content.payer : content.payer.slice(-1).map(masked);
  const pdf = await compute(payment, "payerReceipt", { ...content, payer });
  return new Response(pdf, {
    headers: {
      "content-type": "application/pdf",
      "content-disposition": `attachment; filename="receipt-${id}.pdf"`,
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; sandbox",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex",
    },
  });
}

/** What became of money that came and has no receipt since: the payer's mail still leads here. */
async function withoutReceipt(ctx: Ctx, payment: PaymentRow): Promise<PayerView> {
  const { paymentLinkId: linkId } = payment;
  const link = linkId === null ? undefined : await findLinkEver(ctx, linkId);
  const business = await findBusiness(ctx.businessId);
  if (!business) throw new Error("a payment of a business that does not exist");
  const facts = paymentFacts(payment, link, business, null);
  return { view: "paid", outcome: paidOutcome(payment), ...facts };
}

/** "a•••@example.com": enough for the payer to know the address again, too little for anyone else. */
const masked = (email: string) => email.replace(/^(.).*(?=@)/u, "$1•••");
