import { type Tx, withTransaction } from "@/db/client";
import type { Aftermath } from "@/lib/gateways/gateway";
import { newId } from "@/lib/kernel/ids";
import { log } from "@/lib/kernel/log";
import { ask, lineOfAttempt } from "../businesses/line";
import type { Ctx } from "../context";
import { previousOf } from "../events/changes";
import { emit } from "../events/emit";
import { atClock } from "../test-clocks/rows";
import { presentPayment } from "./present";
import { heldOf, insertRefund, refundByGatewayId } from "./refunds/rows";
import { statusAfterRefund } from "./refunds/rules";
import { settleRefundIn } from "./refunds/settle";
import { changePayment, lockPayment, type PaymentRow } from "./rows";
import { knownOf, mayBecome } from "./rules";

/** What was done with the money at the gateway itself becomes ours: refunds made there, and disputes. Throws when the gateway does not tell. */
export async function recordAftermath(ctx: Ctx, payment: PaymentRow): Promise<void> {
  if (payment.succeededAt === null || payment.connectionId === null) return;
  const { gateway, connection } = await lineOfAttempt(ctx, payment.connectionId);
  const told = await ask("looking up what followed a payment", () => gateway.aftermath(connection, payment.id, knownOf(payment)));
  if (told.kind === "unknown") throw new Error(told.reason);
  if (told.refunds.every(({ key }) => key !== null) && told.dispute === null && payment.status !== "disputed") return;
  await withTransaction(async (tx) => {
    const before = await lockPayment(ctx, tx, payment.id);
    if (!before) throw new Error("no such payment");
    const clocked = await atClock(ctx, tx, before.testClockId);
    for (const refund of told.refunds) if (refund.key === null && refund.status === "succeeded") await recordRefund(clocked, tx, before, refund);
    await recordDispute(clocked, tx, before.id, told.dispute);
  });
}

/** One that was made there and has gone through; while it is on its way nothing is written, since ours are sent again and it is not ours to send. */
async function recordRefund(ctx: Ctx, tx: Tx, payment: PaymentRow, { refundId, amount, currency }: Aftermath["refunds"][number]): Promise<void> {
  if (await refundByGatewayId(ctx, tx, payment.id, refundId)) return;
  if (currency !== payment.currency || amount > payment.amount - (await heldOf(ctx, tx, payment.id))) {
    log.error({ request_id: ctx.requestId, payment: payment.id, refund: refundId, amount, currency }, "the gateway gave back more than is left of a payment");
    return;
  }
  const row = await insertRefund(ctx, tx, payment, { id: newId(), amount, reason: "Made at the gateway" });
  await settleRefundIn(ctx, tx, row.id, { kind: "succeeded", refundId, amount, currency });
}

const words = (reason: string) => reason.replaceAll("_", " ");

async function recordDispute(ctx: Ctx, tx: Tx, id: string, dispute: Aftermath["dispute"]): Promise<void> {
  const payment = await lockPayment(ctx, tx, id);
  if (!payment || (dispute === null && payment.status !== "disputed")) return;
  const change =
    dispute === null || dispute.status === "won"
      ? { status: payment.refundedAmount === 0 ? ("succeeded" as const) : statusAfterRefund("succeeded", payment.amount, payment.refundedAmount), message: null }
      : {
          status: "disputed" as const,
          message: dispute.status === "lost" ? `The payer's bank has kept the money (${words(dispute.reason)}).` : `The payer disputes this payment with their bank (${words(dispute.reason)}).`,
        };
  if (dispute !== null && dispute.status === "won" && payment.status !== "disputed") return;
  if (payment.status === change.status && payment.message === change.message) return;
  if (payment.status !== change.status && !mayBecome(payment.status, change.status)) return;
  const row = await changePayment(ctx, tx, payment, change);
  const data = presentPayment(row);
  await emit(ctx, tx, { type: "payment.disputed", objectId: id, data, previous: previousOf(presentPayment(payment), data) });
}
