import { type Tx, withTransaction } from "@/db/client";
import { nowOf, inSeconds } from "@/db/columns";
import type { FindRefundAnswer } from "@/lib/gateways/gateway";
import { log } from "@/lib/kernel/log";
import type { Ctx } from "../../context";
import { previousOf } from "../../events/changes";
import { emit } from "../../events/emit";
import { atClock } from "../../test-clocks/rows";
import { presentPayment } from "../present";
import { book } from "../../ledger/posting-rows";
import { changePayment, lockPayment, type PaymentRow } from "../rows";
import { MANUAL_GATEWAY, nextCheckSeconds } from "../rules";
import { presentRefund } from "./present";
import { changeRefund, findRefund, lockRefund, planRefundCheck, type RefundRow } from "./rows";
import { isOpen, canTransition, statusAfterRefund, statusOf } from "./rules";

/** Transaction 2 of a refund: the gateway's answer becomes status, ledger, event and mail in one commit. Returns the refund as it then is. */
export async function settleRefund(
  ctx: Ctx,
  refundId: string,
  answer: FindRefundAnswer,
): Promise<RefundRow> {
  return withTransaction((tx) => settleRefundIn(ctx, tx, refundId, answer));
}

/** The same in the caller's transaction. Locks the payment before the refund. */
export async function settleRefundIn(
  asked: Ctx,
  tx: Tx,
  refundId: string,
  answer: FindRefundAnswer,
): Promise<RefundRow> {
  const paymentId = (await findRefund(asked, refundId, tx))?.paymentId ?? "";
  const payment = await lockPayment(asked, tx, paymentId);
  const refund = payment && (await lockRefund(asked, tx, refundId));
  if (!refund) throw new Error("no such refund");
  // The event belongs to the caller who requested the refund.
  const ctx: Ctx = { ...(await atClock(asked, tx, refund.testClockId)), actor: refund.actor };
  if (
    answer.kind === "succeeded" &&
    (answer.amount !== refund.amount || answer.currency !== refund.currency)
  ) {
    log.error(
      {
        request_id: ctx.requestId,
        refund: refund.id,
        said: { amount: answer.amount, currency: answer.currency },
      },
      "the gateway gave another amount back than was asked",
    );
    return scheduleCheck(ctx, tx, refund, {
      status: "unknown",
      message:
        "The payment provider refunded a different amount than you asked for. Compare it with the provider's records.",
    });
  }
  const status = statusOf(answer);
  if (status === null || status === refund.status || !canTransition(refund.status, status))
    return scheduleCheck(
      ctx,
      tx,
      refund,
      answer.kind === "pending" && status === refund.status
        ? { message: awaitedBy(answer) }
        : undefined,
    );
  switch (answer.kind) {
    case "succeeded":
      return succeed(ctx, tx, payment, refund, answer.refundId);
    case "failed":
      return fail(ctx, tx, refund, answer.reason);
    case "pending":
      return keepPending(ctx, tx, refund, {
        status: "pending",
        gatewayId: answer.refundId || null,
        message: awaitedBy(answer),
      });
    default:
      return keepPending(ctx, tx, refund, {
        status: "unknown",
        message: "The payment provider has not given a definite answer yet.",
      });
  }
}

const awaitedBy = ({ awaits }: { awaits?: string }): string =>
  awaits ?? "Waiting for the refund to be confirmed.";

const keepPending = (ctx: Ctx, tx: Tx, refund: RefundRow, change: Partial<RefundRow>) =>
  changeRefund(ctx, tx, refund, {
    ...change,
    checks: 0,
    nextCheckAt: inSeconds(nextCheckSeconds(0)),
    leasedUntil: null,
  });

async function fail(ctx: Ctx, tx: Tx, refund: RefundRow, reason: string): Promise<RefundRow> {
  const row = await changeRefund(ctx, tx, refund, {
    status: "failed",
    message: reason,
    succeededAt: null,
    nextCheckAt: null,
    leasedUntil: null,
  });
  const data = presentRefund(row);
  await emit(ctx, tx, {
    type: "refund.failed",
    objectId: refund.paymentId,
    data,
    previous: previousOf(presentRefund(refund), data),
  });
  return row;
}

/**
 * A refund that had succeeded and failed after all, by the gateway's own list: its booking is undone by another one, and its money counts again. Locks
 * the payment before the refund; does nothing when it has failed already.
 */
export async function failAfterAllIn(
  asked: Ctx,
  tx: Tx,
  refundId: string,
  reason: string,
): Promise<void> {
  const paymentId = (await findRefund(asked, refundId, tx))?.paymentId ?? "";
  const payment = await lockPayment(asked, tx, paymentId);
  const refund = payment && (await lockRefund(asked, tx, refundId));
  if (!payment || refund?.status !== "succeeded") return;
  const ctx = await atClock(asked, tx, refund.testClockId);
  const refundedAmount = payment.refundedAmount - refund.amount;
  await changePayment(ctx, tx, payment, {
    refundedAmount,
    status: statusAfterRefund(payment.status, payment.amount, refundedAmount),
  });
  await book(ctx, tx, payment, `refund_failed:${refund.id}`, [
    { kind: "refund", account: "gateway", amount: refund.amount, refundId: refund.id },
    { kind: "refund", account: "refunds", amount: -refund.amount, refundId: refund.id },
  ]);
  await fail(ctx, tx, refund, reason);
}

/**
 * A refund that had failed here and went back after all, by the gateway's own list. Locks the payment before the refund; does nothing when it has not
 * failed.
 */
export async function succeedAfterAllIn(
  asked: Ctx,
  tx: Tx,
  refundId: string,
  gatewayId: string,
): Promise<void> {
  const paymentId = (await findRefund(asked, refundId, tx))?.paymentId ?? "";
  const payment = await lockPayment(asked, tx, paymentId);
  const refund = payment && (await lockRefund(asked, tx, refundId));
  if (!payment || refund?.status !== "failed") return;
  const ctx = await atClock(asked, tx, refund.testClockId);
  await succeed({ ...ctx, actor: refund.actor }, tx, payment, refund, gatewayId);
}

/** Plans the next look, ever later. What the refund says already is no news. */
async function scheduleCheck(
  ctx: Ctx,
  tx: Tx,
  refund: RefundRow,
  { status = refund.status, message = refund.message }: Partial<RefundRow> = {},
): Promise<RefundRow> {
  if (!isOpen(refund.status)) return refund;
  const nextCheckAt = inSeconds(nextCheckSeconds(refund.checks));
  if (status === refund.status && message === refund.message)
    return planRefundCheck(ctx, tx, refund, nextCheckAt);
  return changeRefund(ctx, tx, refund, {
    checks: refund.checks + 1,
    nextCheckAt,
    leasedUntil: null,
    status,
    message,
  });
}

async function succeed(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  refund: RefundRow,
  gatewayId: string,
): Promise<RefundRow> {
  const row = await changeRefund(ctx, tx, refund, {
    status: "succeeded",
    gatewayId: gatewayId || null,
    message: null,
    succeededAt: nowOf(ctx),
    nextCheckAt: null,
    leasedUntil: null,
  });
  const refundedAmount = payment.refundedAmount + refund.amount;
  const after = await changePayment(ctx, tx, payment, {
    refundedAmount,
    status: statusAfterRefund(payment.status, payment.amount, refundedAmount),
  });
  await book(ctx, tx, after, `refund:${row.id}`, [
    { kind: "refund", account: "refunds", amount: row.amount, refundId: row.id },
    {
      kind: "refund",
      account: payment.gateway === MANUAL_GATEWAY ? "manual" : "gateway",
      amount: -row.amount,
      refundId: row.id,
    },
  ]);
  const data = presentPayment(after);
  await emit(ctx, tx, {
    type: "payment.refunded",
    objectId: payment.id,
    data,
    previous: previousOf(presentPayment(payment), data),
    mail: "refund",
  });
  return row;
}
