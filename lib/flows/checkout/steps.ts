import { withTransaction } from "@/db/client";
import type { Ctx } from "@/lib/domain/context";
import { resolveGateway, resolveGatewayOf } from "@/lib/domain/gateway-connections/account";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import { payerOf } from "@/lib/domain/gateway-connections/payer";
import { lockLink, setOpenPayment } from "@/lib/domain/payment-links/rows";
import { findPayment, insertPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { abandonedAfterMinutes } from "@/lib/domain/payments/rules";
import { settleIn } from "@/lib/domain/payments/settle";
import { atClock, momentOf } from "@/lib/domain/test-clocks/rows";
import { env } from "@/lib/env";
import type { BeginAnswer, Payer } from "@/lib/gateways/gateway";
import { isoOf } from "@/lib/kernel/clock";
import { newId } from "@/lib/kernel/ids";
import { log } from "@/lib/kernel/log";
import { decideStart, wayOf } from "./decide";

/**
 * `redirect`: to the gateway's hosted page. `changed`: the form was of an older version. `show`: the page says what there is to say.
 * `refused`: the gateway will not open a page; the reason is kept for staff. `tooSmall`: a larger amount would do. `try_again`: it gave no answer.
 */
export type BeginResult =
  | { kind: "redirect"; url: string }
  | { kind: "changed" }
  | { kind: "show" }
  | { kind: "refused"; tooSmall: boolean }
  | { kind: "try_again" };

/** A payer presses pay on a link they saw at `version`. Pressing again returns to the same hosted page; there is one live attempt a link. */
export async function begin(payer: Ctx, linkId: string, version: number): Promise<BeginResult> {
  const taken = await takeAttempt(payer, linkId, version);
  if ("kind" in taken) return taken;
  const way = wayOf(taken.attempt);
  return way.kind === "open" ? openPage(payer, taken) : way;
}

type Taken = { attempt: PaymentRow; payer: Payer };

/** Transaction 1: the open attempt, or a new one. */
async function takeAttempt(
  payer: Ctx,
  linkId: string,
  version: number,
): Promise<Taken | { kind: "changed" } | { kind: "show" }> {
  const { gateway, connection } = await resolveGateway(payer);
  return withTransaction(async (tx) => {
    const locked = await lockLink(payer, tx, linkId);
    const open = locked?.openPaymentId
      ? await findPayment(payer, locked.openPaymentId, tx)
      : undefined;
    const ctx = await atClock(payer, tx, locked?.testClockId ?? null);
    const start = decideStart(locked, open, version, await momentOf(ctx, tx));
    if (start.kind === "changed" || start.kind === "show") return start;
    const { link } = start;
    if (start.kind === "resume") return { attempt: start.attempt, payer: payerOf(link) };
    const payment = await insertPayment(ctx, tx, {
      id: newId(),
      amount: link.amount,
      currency: link.currency,
      title: link.title,
      reference: link.reference,
      gateway: gateway.name,
      connectionId: connection.id,
      paymentLinkId: link.id,
      linkVersion: link.version,
      subscriptionId: link.subscriptionId,
      periodStart: link.periodStart,
      testClockId: link.testClockId,
    });
    await setOpenPayment(ctx, tx, link.id, payment.id);
    return { attempt: payment, payer: payerOf(link) };
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
  if (answer.kind === "unknown") return { kind: "try_again" };
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
  if (answer.kind === "refused") return { kind: "refused", tooSmall: answer.tooSmall ?? false };
  const way = wayOf(row);
  return way.kind === "redirect" ? way : { kind: "show" };
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
