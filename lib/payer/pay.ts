import { type PayChoice, payMethods } from "@/lib/contract/values";
import { sessionTokenIn } from "@/lib/domain/accounts/session-token";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import {
  type PayerLink,
  unscopedMarkOpened,
  unscopedPayerLink,
} from "@/lib/domain/payment-links/payer-rows";
import { type LinkState, stateOf } from "@/lib/domain/payment-links/rules";
import { receiptUrlOf } from "@/lib/domain/payments/receipt";
import { findPayment, paymentsOfLink, unscopedFindPayment } from "@/lib/domain/payments/rows";
import { countsAsPaid, declineOf, isLive, isOver } from "@/lib/domain/payments/rules";
import { offerFor } from "@/lib/flows/checkout/offers";
import { returnFrom } from "@/lib/flows/checkout/return";
import { begin } from "@/lib/flows/checkout/steps";
import { batch } from "@/lib/http/batch";
import { notFound } from "@/lib/kernel/problem";
import { keptPayerPage, payerPage, seeOther, type Visit } from "./answer";
import { readForm } from "./form";
import { countVisit } from "./guard";
import { linkView } from "./link-view";
import type { PayNotice, PayWay } from "./view";

const ID = /^[0-9a-f]{24}$/;

const opened = batch("first openings of links", unscopedMarkOpened);

async function linkOf(id: string | null | undefined): Promise<PayerLink> {
  const row = id && ID.test(id) ? await unscopedPayerLink(id) : undefined;
  if (!row) throw notFound();
  return row;
}

const ctxOf = ({ link }: PayerLink, { requestId }: Visit): Ctx =>
  systemCtx(link, { kind: "payer" }, requestId);

/** A browser that is signed in to the dashboard looks, and pays nothing. */
const isStaff = ({ request }: Visit): boolean =>
  sessionTokenIn(request.headers.get("cookie") ?? "") !== undefined;

/** While the saved method is being charged for a link there is no page to open: it counts as processing. */
async function stateNow(visit: Visit, row: PayerLink): Promise<LinkState> {
  const state = stateOf(row);
  const { openPaymentId } = row.link;
  if (state !== "pay" || openPaymentId === null) return state;
  const open = await findPayment(ctxOf(row, visit), openPaymentId);
  return open && isLive(open.status) && open.tokenizationId !== null ? "processing" : state;
}

/** The payer's page of a link, in the state that the database has now. */
export async function showLink(visit: Visit): Promise<Response> {
  const { url } = visit.request;
  const search = new URLSearchParams(url.slice(url.indexOf("?") + 1));
  await countVisit(search.get("id"));
  const row = await linkOf(search.get("id"));
  if (row.link.firstOpenedAt === null && !isStaff(visit)) opened.note(row.link);
  const attempt = search.get("attempt");
  const state = await stateNow(visit, row);
  if (state === "pay" && attempt)
    return draw(visit, row, state, { notice: await noticeOf(visit, row, attempt) });
  if (state === "processing" || state === "paid")
    return draw(visit, row, state, { watch: search.has("watch") });
  return keptPayerPage(
    visit,
    linkView(row, state, state === "pay" ? await offerOf(visit, row) : {}),
  );
}

type Offer = { ways: PayWay[]; notice: PayNotice | undefined };

/** The ways to pay that the payer chooses from, empty where there is nothing to choose. Without a gateway the notice says so. */
async function offerOf(visit: Visit, row: PayerLink, notice?: PayNotice): Promise<Offer> {
  const { ways, first } = await offerFor(ctxOf(row, visit), row.link);
  const isLasting =
    notice !== undefined &&
    ["other_amount", "unconfirmed", "checking", "not_connected"].includes(notice.kind);
  if (!first && !isLasting) return { ways: [], notice: { kind: "not_connected", pressed: false } };
  const isChoice = ways.length > 1 || ways.some(({ options }) => options.length > 0);
  return {
    ways: isChoice ? ways.map(({ method, options }) => ({ method, options })) : [],
    notice,
  };
}

/** What the form says about how to pay; null where it has no choice. */
function choiceIn(form: URLSearchParams): PayChoice | null {
  const method = payMethods.find((one) => one === form.get("method"));
  return method ? { method, option: form.get(method) || null } : null;
}

/** The payer presses pay: an attempt at the amount that was shown begins, and the browser goes to the gateway. */
export async function pressPay(visit: Visit): Promise<Response> {
  const form = await readForm(visit.request);
  await countVisit(form.get("id"));
  const row = await linkOf(form.get("id"));
  const choice = choiceIn(form);
  const version = Number(form.get("version"));
  const begun = await begin(ctxOf(row, visit), row.link.id, version, choice);
  if (begun.kind === "redirect") return seeOther(begun.url);
  const now = await linkOf(row.link.id);
  if (begun.kind === "show") return show(visit, now);
  if (begun.kind === "refused")
    return show(visit, now, { kind: begun.tooSmall ? "too_small" : "refused" });
  return show(visit, now, begun.kind === "not_connected" ? { ...begun, pressed: true } : begun);
}

/** The browser comes back from the gateway. That proves nothing: the gateway is asked, and its answer says where to go next. */
export async function comeBack({ request, requestId }: Visit): Promise<Response> {
  const id = new URL(request.url).searchParams.get("payment_id") ?? "";
  await countVisit(id);
  const payment = ID.test(id) ? await unscopedFindPayment(id) : undefined;
  // A charge of a saved method has no page to come back to.
  if (!payment?.paymentLinkId) throw notFound();
  return seeOther(await returnFrom(systemCtx(payment, { kind: "payer" }, requestId), payment));
}

async function noticeOf(
  visit: Visit,
  row: PayerLink,
  attempt: string,
): Promise<PayNotice | undefined> {
  const payment = ID.test(attempt) ? await findPayment(ctxOf(row, visit), attempt) : undefined;
  if (payment?.paymentLinkId !== row.link.id) return undefined;
  if (isOver(payment.status) && payment.flags.includes("amount_mismatch"))
    return { kind: "other_amount" };
  // Its outcome was never known here: staff ended it.
  if (isOver(payment.status) && payment.flags.includes("resolved")) return { kind: "unconfirmed" };
  if (payment.status === "cancelled") return { kind: "cancelled" };
  const reason = declineOf(payment);
  if (payment.status === "failed")
    return reason === null ? { kind: "refused" } : { kind: "declined", reason };
  // Its page is open for another try.
  return payment.status === "requires_action" && reason !== null
    ? { kind: "declined", reason }
    : undefined;
}

const show = async (visit: Visit, row: PayerLink, notice?: PayNotice): Promise<Response> =>
  draw(visit, row, await stateNow(visit, row), { notice });

async function draw(
  visit: Visit,
  row: PayerLink,
  state: LinkState,
  { notice, watch = false }: { notice?: PayNotice | undefined; watch?: boolean },
): Promise<Response> {
  const payments = state === "paid" ? await paymentsOfLink(ctxOf(row, visit), row.link.id) : [];
  // Money for a period that a charge had paid before pays its link, and counts for nothing.
  const payment =
    payments.find(countsAsPaid) ??
    payments.find(
      ({ flags, linkVersion }) => flags.includes("duplicate") && linkVersion === row.link.version,
    );
  const receiptUrl = payment && (await receiptUrlOf(payment));
  const offer = state === "pay" ? await offerOf(visit, row, notice) : {};
  return payerPage(visit, linkView(row, state, { payment, receiptUrl, watch, ...offer }));
}
