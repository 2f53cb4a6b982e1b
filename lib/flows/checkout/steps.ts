import { withTransaction } from "@/db/client";
import { lastRestore } from "@/db/settings";
import type { PayChoice } from "@/lib/contract/values";
import type { Ctx } from "@/lib/domain/context";
import { resolveGatewayOf } from "@/lib/domain/gateway-connections/account";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import { payerOf } from "@/lib/domain/gateway-connections/payer";
import { take } from "@/lib/domain/limits/limits";
import { findLink, isPayable, lockLink, setOpenPayment } from "@/lib/domain/payment-links/rows";
import { findPayment, insertPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { abandonedAfterMinutes } from "@/lib/domain/payments/rules";
import { settleIn } from "@/lib/domain/payments/settle";
import { atClock, momentOf } from "@/lib/domain/test-clocks/rows";
import { env } from "@/lib/env";
import type { BeginAnswer, Payer } from "@/lib/gateways/gateway";
import { isoOf } from "@/lib/kernel/clock";
import { newId } from "@/lib/kernel/ids";
import { log } from "@/lib/kernel/log";
import { abandon } from "../charge/reconcile";
import { type Target, targetOf } from "./choose";
import { decideStart, type Start, wayOf } from "./decide";

/**
 * `redirect`: to the gateway's hosted page. `changed`: the form was of an older version. `show`: the page says what there is to say.
 * `refused`: the gateway will not open a page; the reason is kept for staff. `tooSmall`: a larger amount would do. `not_offered`: the payer's choice is
 * not offered now. `not_connected`: the business has no gateway. `still_open`: the page of another choice could not be closed, or its payer changed the choice
 * too often just now; it may yet take the money.
 * `no_answer`: the gateway did not answer, so no payer has a page. `checking`: an earlier attempt may be paid, by a page that a restored backup does not
 * know, or in other tabs that opened pages meanwhile.
 */
export type BeginResult =
  | { kind: "redirect"; url: string }
  | { kind: "changed" }
  | { kind: "show" }
  | { kind: "refused"; tooSmall: boolean }
  | { kind: "not_offered" }
  | { kind: "not_connected" }
  | { kind: "still_open"; url: string }
  | { kind: "no_answer" }
  | { kind: "checking" };

/** Other tabs may begin again each time that a page was closed. */
const MAX_CLOSED_PAGES = 3;

/**
 * A payer presses pay on a link they saw at `version`. There is one live attempt a link, whichever gateway it is at: pressing again returns to the same
 * hosted page, and another choice first closes that page at its gateway.
 */
export async function begin(
  payer: Ctx,
  linkId: string,
  version: number,
  choice: PayChoice | null = null,
): Promise<BeginResult> {
  const link = await findLink(payer, linkId);
  if (!link) return { kind: "show" };
  const target = await targetOf(payer, link, choice);
  if (target.kind !== "target") return target;
  // Only an attempt that is open by now can be older than a restore.
  const restoredAt = link.openPaymentId === null ? null : await lastRestore();
  for (let closed = 0; closed <= MAX_CLOSED_PAGES; closed++) {
    const taken = await takeAttempt(payer, linkId, version, target, restoredAt);
    if (taken.kind === "wait") return { kind: "checking" };
    if (taken.kind !== "close") return taken.kind === "taken" ? follow(payer, taken) : taken;
    const { attempt } = taken;
    const { allowed } = await take("payer_look_up", linkId);
    if (!allowed) return { kind: "still_open", url: attempt.checkoutUrl ?? "" };
    const after = await abandon(
      payer,
      attempt,
      await resolveGatewayOf(payer, attempt.connectionId),
    );
    if (after.status === "requires_action")
      return { kind: "still_open", url: after.checkoutUrl ?? "" };
  }
  return { kind: "checking" };
}

type Taken = { kind: "taken"; attempt: PaymentRow; payer: Payer };

async function follow(payer: Ctx, taken: Taken): Promise<BeginResult> {
  const way = wayOf(taken.attempt);
  return way.kind === "open" ? openPage(payer, taken) : way;
}

/** Transaction 1: the open attempt, or a new one at the target. */
async function takeAttempt(
  payer: Ctx,
  linkId: string,
  version: number,
  { account: { gateway, connection }, choice }: Target,
  restoredAt: string | null,
): Promise<Taken | Extract<Start, { kind: "close" | "changed" | "show" | "wait" }>> {
  return withTransaction(async (tx) => {
    const locked = await lockLink(payer, tx, linkId);
    const open = locked?.openPaymentId
      ? await findPayment(payer, locked.openPaymentId, tx)
      : undefined;
    const ctx = await atClock(payer, tx, locked?.testClockId ?? null);
    const wanted = { version, connectionId: connection.id, choice };
    const start = decideStart(locked, open, wanted, await momentOf(ctx, tx), restoredAt);
    if (!("link" in start)) return start;
    const { link } = start;
    if (start.kind === "resume")
      return { kind: "taken", attempt: start.attempt, payer: payerOf(link) };
    if (start.kind === "replace")
      await settleIn(ctx, tx, start.attempt.id, {
        kind: "cancelled",
        gatewayId: start.attempt.gatewayId ?? "",
      });
    const payment = await insertPayment(ctx, tx, {
      id: newId(),
      amount: link.amount,
      currency: link.currency,
      title: link.title,
      reference: link.reference,
      gateway: gateway.name,
      connectionId: connection.id,
      choice,
      paymentLinkId: link.id,
      linkVersion: link.version,
      subscriptionId: link.subscriptionId,
      periodStart: link.periodStart,
      testClockId: link.testClockId,
    });
    await setOpenPayment(ctx, tx, link.id, payment.id);
    return { kind: "taken", attempt: payment, payer: payerOf(link) };
  });
}

/** Opens the hosted page of an attempt; a second tab or a later try sends the same key and gets the same page. */
async function openPage(ctx: Ctx, { attempt, payer }: Taken): Promise<BeginResult> {
  const answer = await askForPage(ctx, attempt, payer);
  if (answer.kind !== "redirect")
    log.warn(
      { request_id: ctx.requestId, payment: attempt.id, reason: answer.reason },
      answer.kind === "refused"
        ? "the gateway refused to open a page"
        : "the gateway did not open a page",
    );
  if (answer.kind === "unknown") {
    // Another press may have opened the page meanwhile, and its payer may have paid.
    const now = await findPayment(ctx, attempt.id);
    const way = now && wayOf(now);
    return way && way.kind !== "open" ? way : { kind: "no_answer" };
  }
  const { row, takesMoney } = await withTransaction(async (tx) => {
    const settled = await settleIn(
      ctx,
      tx,
      attempt.id,
      answer.kind === "redirect"
        ? { kind: "open", gatewayId: answer.gatewayId, url: answer.url }
        : { kind: "failed", gatewayId: "", decline: "soft", reason: answer.reason },
    );
    const { paymentLinkId } = settled;
    // Under the link's lock: what ends the link later closes this page itself.
    const isOpen = paymentLinkId !== null && (await isPayable(ctx, tx, paymentLinkId));
    return { row: settled, takesMoney: isOpen };
  });
  if (answer.kind === "refused") return { kind: "refused", tooSmall: answer.tooSmall ?? false };
  const isSeen = row.checkoutUrl === answer.url && row.status !== "cancelled";
  if (!isSeen) await closeUnseen(ctx, row, answer.gatewayId);
  const way = wayOf(row);
  if (way.kind === "redirect") {
    if (takesMoney) return way;
    // The link ended while the gateway opened its page.
    await abandon(ctx, row, await resolveGatewayOf(ctx, row.connectionId));
  }
  return { kind: "show" };
}

/** Closes a page that another press or another choice was faster than. No payer has its address, so a page that stays open takes no money. */
async function closeUnseen(ctx: Ctx, attempt: PaymentRow, gatewayId: string): Promise<void> {
  const { allowed } = await take("payer_look_up", attempt.paymentLinkId ?? attempt.id);
  if (!allowed) return;
  const { gateway, connection } = await resolveGatewayOf(ctx, attempt.connectionId);
  const hint = { gatewayId, since: attempt.startedAt };
  await callGateway("closing a page that no payer saw", () =>
    gateway.cancel(connection, attempt.id, hint),
  );
}

async function askForPage(ctx: Ctx, attempt: PaymentRow, payer: Payer): Promise<BeginAnswer> {
  const { gateway, connection } = await resolveGatewayOf(ctx, attempt.connectionId);
  const back = `${env.BASE_URL}/pay/return?payment_id=${attempt.id}`;
  return callGateway("opening a hosted page", () =>
    gateway.beginPayment(connection, {
      key: attempt.id,
      reference: attempt.id,
      ownReference: attempt.reference,
      linkId: attempt.paymentLinkId,
      choice: attempt.choice,
      payer,
      amount: attempt.amount,
      currency: attempt.currency,
      title: attempt.title,
      returnUrl: back,
      cancelUrl: back,
      expiresAt: isoOf(new Date(Date.parse(attempt.startedAt) + abandonedAfterMinutes * 60_000)),
    }),
  );
}
