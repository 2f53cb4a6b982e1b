import { withTransaction } from "@/db/client";
import { databaseNow } from "@/db/now";
import { env } from "@/lib/env";
import { isoOf } from "@/lib/kernel/clock";
import { newId } from "@/lib/kernel/ids";
import { log } from "@/lib/kernel/log";
import type { Ctx } from "../context";
import { lockLink, setOpenPayment } from "../payment-links/rows";
import { atClock } from "../test-clocks/rows";
import { ask, lineFor, lineOfAttempt } from "../businesses/line";
import { findPayment, insertPayment, type PaymentRow } from "./rows";
import { abandonedAfterMinutes } from "./rules";
import { settleIn } from "./settle";

/**
 * `redirect`: to the gateway's hosted page. `changed`: the form was of an older version. `show`: the page says what there is to say.
 * `refused`: the gateway will not open a page; why is kept for staff.
 */
export type Begun =
  | { kind: "redirect"; url: string }
  | { kind: "changed" }
  | { kind: "show" }
  | { kind: "refused" }
  | { kind: "try_again" };

/** A payer presses pay on a link they saw at `version`. Pressing again returns to the same hosted page; there is one live attempt a link. */
export async function begin(payer: Ctx, linkId: string, version: number): Promise<Begun> {
  const line = await lineFor(payer);
  const attempt = await withTransaction(async (tx): Promise<PaymentRow | Begun> => {
    const link = await lockLink(payer, tx, linkId);
    if (link?.status !== "Active") return { kind: "show" };
    if (link.expiresAt && Date.parse(link.expiresAt) <= (await databaseNow(tx)))
      return { kind: "show" };
    if (link.version !== version) return { kind: "changed" };
    if (link.openPaymentId) {
      const open = await findPayment(payer, link.openPaymentId, tx);
      // The saved method is being charged for this very link: nothing to open a page for.
      if (open?.tokenizationId) return { kind: "show" };
      if (open) return open;
    }
    const ctx = await atClock(payer, tx, link.testClockId);
    const payment = await insertPayment(ctx, tx, {
      id: newId(),
      amount: link.amount,
      currency: link.currency,
      title: link.title,
      reference: link.reference,
      gateway: line.gateway.name,
      connectionId: line.connection.id,
      paymentLinkId: link.id,
      linkVersion: link.version,
      subscriptionId: link.subscriptionId,
      periodStart: link.periodStart,
      testClockId: link.testClockId,
    });
    await setOpenPayment(ctx, tx, link.id, payment.id);
    return payment;
  });
  if ("kind" in attempt) return attempt;
  if (attempt.status === "requires_action" && attempt.checkoutUrl)
    return { kind: "redirect", url: attempt.checkoutUrl };
  if (attempt.status !== "submitting") return { kind: "show" };
  return open(payer, attempt);
}

/** Opens the hosted page of an attempt; a second tab or a later try sends the same key and gets the same page. */
async function open(ctx: Ctx, attempt: PaymentRow): Promise<Begun> {
  const { gateway, connection } = await lineOfAttempt(ctx, attempt.connectionId);
  const back = `${env.BASE_URL}/pay/return?payment_id=${attempt.id}`;
  const answer = await ask("opening a hosted page", () =>
    gateway.beginPayment(connection, {
      key: attempt.id,
      reference: attempt.id,
      ownReference: attempt.reference,
      linkId: attempt.paymentLinkId,
      amount: attempt.amount,
      currency: attempt.currency,
      title: attempt.title,
      returnUrl: back,
      cancelUrl: back,
      expiresAt: isoOf(new Date(Date.parse(attempt.startedAt) + abandonedAfterMinutes * 60_000)),
    }),
  );
  if (answer.kind === "unknown") {
    log.warn(
      { request_id: ctx.requestId, payment: attempt.id, reason: answer.reason },
      "the gateway did not open a page",
    );
    return { kind: "try_again" };
  }
  if (answer.kind === "refused")
    log.warn(
      { request_id: ctx.requestId, payment: attempt.id, reason: answer.reason },
      "the gateway refused to open a page",
    );
  const row = await withTransaction((tx) =>
    settleIn(
      ctx,
      tx,
      attempt.id,
      answer.kind === "redirect"
        ? { kind: "open", gatewayId: answer.gatewayId, url: answer.url }
        : { kind: "failed", gatewayId: "", decline: "soft", reason: answer.reason },
    ),
  );
  if (answer.kind === "refused") return { kind: "refused" };
  return row.checkoutUrl && row.status === "requires_action"
    ? { kind: "redirect", url: row.checkoutUrl }
    : { kind: "show" };
}
