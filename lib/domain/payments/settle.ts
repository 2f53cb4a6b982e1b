import { type Tx, withTransaction } from "@/db/client";
import { inSeconds, nowOf, nowSql } from "@/db/columns";
import { databaseNow } from "@/db/now";
import { resolvableAfterHours } from "@/lib/contract/values";
import type { FindAnswer } from "@/lib/gateways/gateway";
import { log } from "@/lib/kernel/log";
import { conflict, notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { emit } from "../events/emit";
import { queueCallbacks } from "../integrations/callback-rows";
import { presentLink } from "../payment-links/present";
import { emitLinkCancelled } from "../payment-links/cancel";
import { changeLink, type LinkRow, lockLink, setOpenPayment } from "../payment-links/rows";
import { atClock } from "../test-clocks/rows";
import { presentPayment } from "./present";
import { book } from "../ledger/posting-rows";
import {
  changePayment,
  checkInBefore,
  findPayment,
  lockPayment,
  lookUpPageNow,
  noteNet,
  type PaymentRow,
  planCheck,
} from "./rows";
import {
  awaitsFee,
  flagFor,
  isUnanswered,
  isLive,
  isSetAside,
  linkStatusFor,
  MANUAL_GATEWAY,
  nextCheckSeconds,
  pageCheckSeconds,
  safeAbsenceMinutes,
} from "./rules";
import { type Success, settlementOf } from "./settlement";

/** Transaction 2 of every payment: the gateway's answer becomes status, ledger, event and mail in one commit. Returns the payment as it then is. */
export async function settle(ctx: Ctx, paymentId: string, answer: FindAnswer): Promise<PaymentRow> {
  return withTransaction((tx) => settleIn(ctx, tx, paymentId, answer));
}

/** The same in the caller's transaction. Locks the link before the payment, as everything here does. */
export async function settleIn(
  asked: Ctx,
  tx: Tx,
  paymentId: string,
  answer: FindAnswer,
): Promise<PaymentRow> {
  const link = await lockLinkOf(asked, tx, paymentId);
  const payment = await lockPayment(asked, tx, paymentId);
  if (!payment) throw new Error("no such payment");
  const ctx = await atClock(asked, tx, payment.testClockId);
  const settlement = settlementOf(payment, answer);
  if (settlement.kind === "set_aside") return quarantine(ctx, tx, payment, link, settlement.answer);
  if (settlement.kind === "fee") return learnFee(ctx, tx, payment, answer);
  if (settlement.kind === "check") return scheduleCheck(ctx, tx, payment, link);
  const { status } = settlement;
  switch (answer.kind) {
    case "succeeded":
      return succeed(ctx, tx, payment, link, answer);
    case "failed":
      return finalize(ctx, tx, payment, link, {
        status: "failed",
        gatewayId: answer.gatewayId,
        decline: answer.decline,
        message: answer.reason,
      });
    case "cancelled":
      return finalize(ctx, tx, payment, link, {
        status: "cancelled",
        gatewayId: answer.gatewayId,
        message: "The payer did not finish this payment.",
      });
    case "open":
      return keepPending(ctx, tx, payment, link, {
        status,
        gatewayId: answer.gatewayId,
        checkoutUrl: answer.url,
        nextCheckAt: checkInBefore(pageCheckSeconds(0), realExpiryOf(link)),
        checks: 0,
        message: answer.declined ?? null,
      });
    case "pending":
      return keepPending(ctx, tx, payment, link, {
        status,
        gatewayId: answer.gatewayId,
        nextCheckAt: inSeconds(nextCheckSeconds(0)),
        checks: 0,
        message: "Waiting for the payment to be confirmed.",
      });
    default:
      return keepPending(ctx, tx, payment, link, {
        status,
        nextCheckAt: inSeconds(nextCheckSeconds(0)),
        checks: 0,
        message: "The payment provider has not given a definite answer yet.",
      });
  }
}

/** A page is looked up again when its link expires; the expiry under a test clock comes with an advance. */
const realExpiryOf = (link: LinkRow | undefined) =>
  link?.testClockId === null ? link.expiresAt : null;

async function lockLinkOf(ctx: Ctx, tx: Tx, paymentId: string): Promise<LinkRow | undefined> {
  const linkId = (await findPayment(ctx, paymentId, tx))?.paymentLinkId;
  return linkId ? lockLink(ctx, tx, linkId, true) : undefined;
}

/** Nothing new: only the next look is planned, ever later. */
async function scheduleCheck(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  link: LinkRow | undefined,
): Promise<PaymentRow> {
  if (!isLive(payment.status) || payment.nextCheckAt === null) return payment;
  return planCheck(
    ctx,
    tx,
    payment,
    payment.status === "requires_action"
      ? checkInBefore(pageCheckSeconds(payment.checks + 1), realExpiryOf(link))
      : inSeconds(nextCheckSeconds(payment.checks)),
  );
}

async function keepPending(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  link: LinkRow | undefined,
  change: Partial<PaymentRow>,
): Promise<PaymentRow> {
  const row = await changePayment(ctx, tx, payment, { ...change, leasedUntil: null });
  await followLink(ctx, tx, row, link);
  return row;
}

async function finalize(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  link: LinkRow | undefined,
  change: Partial<PaymentRow>,
): Promise<PaymentRow> {
  const row = await changePayment(ctx, tx, payment, {
    ...change,
    nextCheckAt: null,
    leasedUntil: null,
  });
  await followLink(ctx, tx, row, link);
  if (link?.openPaymentId === payment.id) await setOpenPayment(ctx, tx, link.id, null);
  if (row.status === "failed")
    await emit(ctx, tx, {
      type: "payment.failed",
      objectId: payment.id,
      data: presentPayment(row),
    });
  return row;
}

async function followLink(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  link: LinkRow | undefined,
): Promise<void> {
  if (!link || link.deletedAt || link.openPaymentId !== payment.id) return;
  const status = linkStatusFor(payment.status, link.status, payment.withdrawnAt !== null);
  if (!status) return;
  const row = await changeLink(ctx, tx, link.id, { status });
  if (status === "Cancelled") await emitLinkCancelled(ctx, tx, link, row);
}

async function succeed(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  link: LinkRow | undefined,
  answer: Success,
): Promise<PaymentRow> {
  const flag = link && flagFor(link, payment);
  const at = payment.receivedAt ?? nowOf(ctx);
  const row = await changePayment(ctx, tx, payment, {
    status: "succeeded",
    gatewayId: answer.gatewayId || null,
    message: null,
    decline: null,
    ...(answer.paidWith === undefined ? {} : { paidWith: answer.paidWith }),
    succeededAt: at,
    ...(payment.gateway === MANUAL_GATEWAY ? { receivedAt: at } : {}),
    leasedUntil: null,
    nextCheckAt: answer.fee === null ? inSeconds(nextCheckSeconds(0)) : null,
    checks: 0,
    net: netOf(payment, answer),
    ...(flag ? { flags: [...payment.flags, flag] } : {}),
  });
  await book(ctx, tx, row, `gross:${row.id}`, [
    {
      kind: "gross",
      account: row.gateway === MANUAL_GATEWAY ? "manual" : "gateway",
      amount: row.amount,
    },
    { kind: "gross", account: "sales", amount: -row.amount },
  ]);
  await bookFee(ctx, tx, row, answer);
  await emit(ctx, tx, {
    type: "payment.succeeded",
    objectId: row.id,
    data: presentPayment(row),
    mail: flag ? null : "receipt",
  });
  if (link && !flag) {
    const paid = await changeLink(ctx, tx, link.id, {
      status: "Paid",
      paidAt: at,
      ...(link.openPaymentId === row.id ? { openPaymentId: null } : {}),
    });
    if (paid.openPaymentId !== null) await lookUpPageNow(ctx, tx, paid.openPaymentId);
    await emit(ctx, tx, { type: "payment_link.paid", objectId: link.id, data: presentLink(paid) });
    if (paid.integrationId)
      await queueCallbacks(ctx, tx, {
        integrationId: paid.integrationId,
        paymentLinkId: link.id,
        paymentId: row.id,
      });
  } else if (link?.openPaymentId === row.id) await setOpenPayment(ctx, tx, link.id, null);
  return row;
}

/** How often the worker asks the gateway for its fee. A callback may still bring it later. */
const MAX_FEE_CHECKS = 12;

/** After a success only refunds and disputes change the status. A late answer from before can only bring the fee. */
async function learnFee(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  answer: FindAnswer,
): Promise<PaymentRow> {
  const told = answer.kind === "succeeded" && answer.fee !== null;
  if (told) await bookFee(ctx, tx, payment, answer);
  const net = told ? (payment.net ?? netOf(payment, answer)) : payment.net;
  if (!awaitsFee(payment)) {
    if (net === payment.net) return payment;
    await noteNet(ctx, tx, payment.id, net);
    return { ...payment, net };
  }
  if (told) return changePayment(ctx, tx, payment, { nextCheckAt: null, leasedUntil: null, net });
  const seconds = payment.checks >= MAX_FEE_CHECKS ? null : nextCheckSeconds(payment.checks);
  return planCheck(ctx, tx, payment, inSeconds(seconds));
}

/** What is left of a payment after a fee in its currency; null without such a fee. */
const netOf = ({ amount, currency }: PaymentRow, { fee, feeCurrency }: Success): number | null =>
  fee !== null && fee > 0 && (feeCurrency ?? currency) === currency ? amount - fee : null;

/** Booked in the currency the gateway takes it in, once, whenever it says how much. */
async function bookFee(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  { fee, feeCurrency }: Success,
): Promise<void> {
  if (fee === null || fee <= 0) return;
  await book(
    ctx,
    tx,
    { ...payment, currency: feeCurrency ?? payment.currency },
    `fee:${payment.id}`,
    [
      { kind: "fee", account: "fees", amount: fee },
      { kind: "fee", account: "gateway", amount: -fee },
    ],
  );
}

/** The gateway speaks of another amount or currency than was asked: recorded, shown, looked at by people, never counted as paid. */
async function quarantine(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  link: LinkRow | undefined,
  answer: Success,
): Promise<PaymentRow> {
  // The next look for a fee that is still awaited is planned as after any answer without one.
  if (payment.flags.includes("amount_mismatch"))
    return awaitsFee(payment) ? learnFee(ctx, tx, payment, { kind: "nothing" }) : payment;
  log.error(
    {
      request_id: ctx.requestId,
      payment: payment.id,
      said: { amount: answer.amount, currency: answer.currency },
    },
    "the gateway took another amount than was asked",
  );
  const row = await changePayment(ctx, tx, payment, {
    ...(isLive(payment.status) ? { status: "unknown" as const } : {}),
    gatewayId: answer.gatewayId,
    // What staff resolved before was an unknown outcome: this they have not seen.
    flags: [...payment.flags.filter((flag) => flag !== "resolved"), "amount_mismatch"],
    nextCheckAt: null,
    leasedUntil: null,
    message:
      "The payment provider took a different amount than you asked for. Compare it with the provider's records.",
  });
  await followLink(ctx, tx, row, link);
  await emitFlagged(ctx, tx, payment, row);
  return row;
}

const emitFlagged = (ctx: Ctx, tx: Tx, { flags }: PaymentRow, row: PaymentRow) =>
  emit(ctx, tx, {
    type: "payment.flagged",
    objectId: row.id,
    data: presentPayment(row),
    previous: { flags },
  });

/**
 * Resolves an amount mismatch, or an outcome that has been unknown for a day: the attempt ends, counts for nothing and releases its link. A
 * hard decline, so that no saved method is charged again for it. Throws 404, and 409 for any other payment.
 */
export async function resolveIn(
  asked: Ctx,
  tx: Tx,
  paymentId: string,
  note: string | null,
): Promise<PaymentRow> {
  const link = await lockLinkOf(asked, tx, paymentId);
  const payment = await lockPayment(asked, tx, paymentId);
  if (!payment) throw notFound();
  if (payment.flags.includes("resolved")) throw conflict("This payment is already resolved.");
  const isMismatch = isSetAside(payment);
  if (!isMismatch && !isUnanswered(payment, await databaseNow(tx)))
    throw conflict(
      `Only a payment with an amount mismatch, or one that has been unknown for ${resolvableAfterHours} hours, can be resolved. After it was sent again, wait ${safeAbsenceMinutes} minutes.`,
    );
  const ctx = await atClock(asked, tx, payment.testClockId);
  const change = {
    flags: [...payment.flags, "resolved"],
    resolvedAt: nowSql,
    note,
    message: isMismatch
      ? "The amount that arrived differs from what was asked; it does not count as paid."
      : "The payment provider never confirmed it; it does not count as paid.",
  };
  if (!isLive(payment.status)) {
    const row = await changePayment(ctx, tx, payment, change);
    await emitFlagged(ctx, tx, payment, row);
    return row;
  }
  return finalize(ctx, tx, payment, link, { ...change, status: "failed", decline: "hard" });
}
