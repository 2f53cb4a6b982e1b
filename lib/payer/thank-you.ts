import { unscopedPayerLink } from "@/lib/domain/payment-links/payer-rows";
import { paymentUrl } from "@/lib/domain/payment-links/present";
import { receiptUrlOf } from "@/lib/domain/payments/receipt";
import { type PaymentRow, unscopedFindPayment } from "@/lib/domain/payments/rows";
import { thankYouPage } from "@/lib/domain/tokenizations/page";
import { notFound } from "@/lib/kernel/problem";
import { payerPage, seeOther, type Visit } from "./answer";
import { countVisit } from "./guard";
import { businessOf, paidOutcome, paymentFacts } from "./link-view";
import type { PayerView } from "./view";

/** What was paid, to which business and under which reference, or that a method was saved. Only the database decides, never the address. */
export async function showThanks(visit: Visit): Promise<Response> {
  const search = new URL(visit.request.url).searchParams;
  await countVisit(search.get("tokenization_id") ?? search.get("payment_id"));
  const tokenization = search.get("tokenization_id");
  return tokenization === null
    ? showPayment(visit, search.get("payment_id") ?? "")
    : payerPage(visit, await savedView(tokenization));
}

/** Nothing about the method itself: anyone who has the address can open the page. */
async function savedView(id: string): Promise<PayerView> {
  const page = await thankYouPage(id);
  if (!page) throw notFound();
  return {
    view: "activated",
    business: businessOf(page.business),
    test: page.mode === "test",
    title: page.title,
  };
}

function outcomeOf(payment: PaymentRow) {
  const outcome = paidOutcome(payment);
  if (outcome !== "paid") return outcome;
  const { flags } = payment;
  return flags.includes("late") ? "late" : flags.includes("duplicate") ? "duplicate" : "paid";
}

/** A payment that was neither made nor is on its way is for the link's page: it says why, and takes another try. */
async function showPayment(visit: Visit, id: string): Promise<Response> {
  const payment = /^[0-9a-f]{24}$/.test(id) ? await unscopedFindPayment(id) : undefined;
  const row = payment?.paymentLinkId ? await unscopedPayerLink(payment.paymentLinkId) : undefined;
  if (!payment || !row) throw notFound();
  const paid = payment.succeededAt !== null;
  if (!paid && payment.status !== "pending" && payment.status !== "unknown")
    return seeOther(`${paymentUrl(row.link.id, row.link.mode)}&attempt=${id}`);
  return payerPage(visit, {
    view: "thank_you",
    ...paymentFacts(payment, row.link, row.business, await receiptUrlOf(payment)),
    ...(paid
      ? { outcome: outcomeOf(payment) }
      : {
          outcome: "pending",
          lookedAt: new Date().toISOString(),
          reloadUrl: `/thank-you?payment_id=${id}`,
        }),
  });
}
