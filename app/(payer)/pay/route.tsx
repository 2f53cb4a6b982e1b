import { keptPayerPage, payerPage, seeOther } from "@/components/payer/answer";
import { countVisit, payerRoute } from "@/components/payer/guard";
import { linkView, stateOf } from "@/components/payer/link-page";
import type { PayNotice } from "@/components/payer/pay-view";
import { systemCtx } from "@/lib/domain/context";
import {
  type PayerLink,
  unscopedMarkOpened,
  unscopedPayerLink,
} from "@/lib/domain/payment-links/payer-rows";
import { begin } from "@/lib/domain/payments/begin";
import { findPayment, paymentsOfLink } from "@/lib/domain/payments/rows";
import { declineOf } from "@/lib/domain/payments/rules";
import { batch } from "@/lib/http/batch";
import { readForm } from "@/lib/http/form";
import { notFound } from "@/lib/kernel/problem";

const opened = batch("first openings of links", unscopedMarkOpened);

async function linkOf(id: string | null | undefined): Promise<PayerLink> {
  const row = id && /^[0-9a-f]{24}$/.test(id) ? await unscopedPayerLink(id) : undefined;
  if (!row) throw notFound();
  return row;
}

const ctxOf = ({ link }: PayerLink, requestId: string) =>
  systemCtx(link, { kind: "payer" }, requestId);

/** The payer's page of a link, by what the database says at this moment. */
export const GET = payerRoute(async (request, requestId) => {
  const search = new URLSearchParams(request.url.slice(request.url.indexOf("?") + 1));
  await countVisit(search.get("id"));
  const row = await linkOf(search.get("id"));
  if (row.link.firstOpenedAt === null) opened.note(row.link.id);
  const attempt = search.get("attempt");
  const state = stateOf(row);
  if (state === "pay" && attempt)
    return show(request, row, requestId, await noticeOf(row, attempt, requestId));
  if (state === "processing" || state === "paid")
    return show(request, row, requestId, undefined, search.has("watch"));
  return keptPayerPage(
    request,
    `${row.link.id} ${row.link.version} ${state} ${row.business.updatedAt}`,
    () => linkView(row, state),
  );
});

/** Pressing pay: begins an attempt at the amount that was shown and goes to the gateway. */
export const POST = payerRoute(async (request, requestId) => {
  const form = await readForm(request);
  await countVisit(form.get("id"));
  const row = await linkOf(form.get("id"));
  const begun = await begin(ctxOf(row, requestId), row.link.id, Number(form.get("version")));
  if (begun.kind === "redirect") return seeOther(begun.url);
  const now = await linkOf(row.link.id);
  if (begun.kind === "changed") return show(request, now, requestId, { kind: "changed" });
  if (begun.kind === "refused") return show(request, now, requestId, { kind: "refused" });
  if (begun.kind === "try_again")
    return payerPage(request, { view: "unavailable", reloadUrl: `/pay?id=${row.link.id}` });
  return show(request, now, requestId);
});

async function noticeOf(
  row: PayerLink,
  attempt: string,
  requestId: string,
): Promise<PayNotice | undefined> {
  const payment = await findPayment(ctxOf(row, requestId), attempt);
  if (payment?.paymentLinkId !== row.link.id) return undefined;
  if (payment.status === "cancelled") return { kind: "cancelled" };
  if (payment.status !== "failed") return undefined;
  const reason = declineOf(payment);
  return reason === null ? { kind: "refused" } : { kind: "declined", reason };
}

async function show(
  request: Request,
  row: PayerLink,
  requestId: string,
  notice?: PayNotice,
  watch = false,
): Promise<Response> {
  const state = stateOf(row);
  const payments = state === "paid" ? await paymentsOfLink(ctxOf(row, requestId), row.link.id) : [];
  const payment = payments.find((one) => one.succeededAt !== null && one.flags.length === 0);
  return payerPage(request, linkView(row, state, { notice, payment, watch }));
}
