import { withTransaction } from "@/db/client";
import type { Refund, RefundInput } from "@/lib/contract/refunds";
import { newId } from "@/lib/kernel/ids";
import { conflict, invalid, notFound } from "@/lib/kernel/problem";
import { recordCall } from "../../audit/record";
import { ask, assertReturned, lineOfAttempt } from "../../businesses/line";
import type { Ctx } from "../../context";
import { noteClaimBegun } from "../../idempotency/claim";
import { commit } from "../../idempotency/commit";
import { atClock } from "../../test-clocks/rows";
import { findPayment, lockPayment } from "../rows";
import { knownOf } from "../rules";
import { presentRefund } from "./present";
import { reconcileRefund } from "./reconcile";
import { findRefund, heldOf, insertRefund, type RefundRow } from "./rows";
import { isRefundable } from "./rules";
import { settleRefundIn } from "./settle";

/**
 * Gives money of a payment back, what is left of it unless told less; of one recorded by hand that is only written down.
 * Answers the refund whatever became of it. Throws 404, 409 when nothing can go back, 422 on `amount` for more than is left
 * and for what the payment's gateway cannot give back.
 */
export async function create(ctx: Ctx, paymentId: string, input: RefundInput): Promise<Refund> {
  const begun = ctx.claim?.begun ? await findRefund(ctx, ctx.claim.begun) : undefined;
  // A run that died after it had begun: its refund is looked up, never made again, and its audit entry is there.
  if (begun) {
    if (ctx.trail) ctx.trail.written = true;
    const row = await reconcileRefund(ctx, begun);
    return commit(ctx, async () => presentRefund(row));
  }
  const byHand = await withTransaction(async (tx) => {
    const row = await begin(ctx, tx, paymentId, input);
    return row.connectionId === null
      ? settleRefundIn(ctx, tx, row.id, {
          kind: "succeeded",
          refundId: "",
          amount: row.amount,
          currency: row.currency,
        })
      : row;
  });
  if (ctx.trail) ctx.trail.written = true;
  if (byHand.connectionId === null) return commit(ctx, async () => presentRefund(byHand));
  const { gateway, connection } = await lineOfAttempt(ctx, byHand.connectionId);
  const { id, amount, currency } = byHand;
  const payment = await findPayment(ctx, paymentId);
  const known = payment ? { known: knownOf(payment) } : {};
  const answer = await ask("refunding a payment", () =>
    gateway.refund(connection, { key: id, reference: paymentId, amount, currency, ...known }),
  );
  return commit(ctx, async (tx) => presentRefund(await settleRefundIn(ctx, tx, id, answer)));
}

/** Records a refund under the payment's lock, with who asked for it in the audit log. */
async function begin(
  asked: Ctx,
  tx: Parameters<typeof insertRefund>[1],
  paymentId: string,
  input: RefundInput,
): Promise<RefundRow> {
  const payment = await lockPayment(asked, tx, paymentId);
  if (!payment) throw notFound();
  const ctx = await atClock(asked, tx, payment.testClockId);
  if (payment.status === "disputed")
    throw conflict("This payment is disputed: the payer's bank decides about the money.");
  const left = payment.amount - (await heldOf(ctx, tx, paymentId));
  if (payment.status === "refunded" || (isRefundable(payment.status) && left === 0))
    throw conflict("All of this payment has been given back or is on its way.");
  if (!isRefundable(payment.status))
    throw conflict("Only a payment that succeeded can be refunded.");
  const amount = input.amount ?? left;
  if (amount > left) throw invalid({ amount: [`The amount must not be greater than ${left}.`] });
  assertReturned(payment.gateway, { amount, currency: payment.currency });
  const row = await insertRefund(ctx, tx, payment, {
    id: newId(),
    amount,
    reason: input.reason ?? null,
  });
  await noteClaimBegun(ctx, tx, row.id);
  if (ctx.trail)
    Object.assign(ctx.trail.details, { payment_id: paymentId, amount, currency: payment.currency });
  await recordCall(ctx, tx, presentRefund(row));
  return row;
}
