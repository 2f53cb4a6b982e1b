import type { Tx } from "@/db/client";
import type { Ctx } from "@/lib/domain/context";
import { previousOf } from "@/lib/domain/events/changes";
import { emit } from "@/lib/domain/events/emit";
import { book, postingsOf } from "@/lib/domain/ledger/posting-rows";
import { presentPayment } from "@/lib/domain/payments/present";
import { changeRefund, heldOf, insertRefund, refundsOf } from "@/lib/domain/payments/refunds/rows";
import { isOpen } from "@/lib/domain/payments/refunds/rules";
import {
  failAfterAllIn,
  settleRefundIn,
  succeedAfterAllIn,
} from "@/lib/domain/payments/refunds/settle";
import { changePayment, lockPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import type { RefundsAndDisputes, Movement, RefundState } from "@/lib/gateways/gateway";
import { newId } from "@/lib/kernel/ids";
import {
  decideKnownRefund,
  decideMovement,
  decideNewRefund,
  decideStanding,
  matchRefunds,
  type RefundDecision,
} from "./decide";

/** Writes a payment's disputes and the money that they moved, with one event. Returns what could not be booked, in words. */
export async function recordDisputes(
  ctx: Ctx,
  tx: Tx,
  id: string,
  { dispute, movements }: Pick<RefundsAndDisputes, "dispute" | "movements">,
): Promise<string[]> {
  const payment = await lockPayment(ctx, tx, id);
  if (!payment) throw new Error("no such payment");
  const { disputedAmount, problems } = await bookMovements(ctx, tx, payment, movements);
  const change = { ...decideStanding(payment, dispute), disputedAmount };
  if (
    change.status === payment.status &&
    change.message === payment.message &&
    change.disputeStatus === payment.disputeStatus &&
    disputedAmount === payment.disputedAmount
  )
    return problems;
  const row = await changePayment(ctx, tx, payment, change);
  const data = presentPayment(row);
  await emit(ctx, tx, {
    type: "payment.disputed",
    objectId: id,
    data,
    previous: previousOf(presentPayment(payment), data),
  });
  return problems;
}

/** Books each movement once, by the gateway's id of it. */
async function bookMovements(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  movements: readonly Movement[],
): Promise<{ disputedAmount: number; problems: string[] }> {
  let { disputedAmount } = payment;
  const problems: string[] = [];
  const booked =
    movements.length === 0 ? new Set<string>() : await postingsOf(ctx, tx, payment.id, "dispute");
  for (const movement of movements) {
    const posting = `dispute:${payment.id}:${movement.id}`;
    const feePosting = `dispute_fee:${payment.id}:${movement.id}`;
    if (booked.has(posting) || booked.has(feePosting)) continue;
    const decision = decideMovement(payment, disputedAmount, movement);
    if (decision.kind === "misfit") {
      problems.push(decision.problem);
      continue;
    }
    const { money, fee } = decision;
    if (money.amount !== 0) await bookSides(ctx, tx, payment, posting, "disputes", money.amount);
    if (fee.amount !== 0)
      await bookSides(
        ctx,
        tx,
        { ...payment, currency: fee.currency },
        feePosting,
        "fees",
        fee.amount,
      );
    disputedAmount = decision.disputedAmount;
  }
  return { disputedAmount, problems };
}

const bookSides = (
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  posting: string,
  account: "disputes" | "fees",
  amount: number,
) =>
  book(ctx, tx, payment, posting, [
    { kind: "dispute", account, amount },
    { kind: "dispute", account: "gateway", amount: -amount },
  ]);

/**
 * Writes the refunds of a locked payment as the gateway lists them: those made there once they have succeeded, and those that failed after all. One that
 * staff recorded gets the gateway's id and is not booked again. `namesKeys`: the list has the key of each refund that was sent. Returns what was decided
 * of each.
 */
export async function recordRefunds(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  listed: readonly RefundState[],
  namesKeys: boolean,
): Promise<RefundDecision[]> {
  const ours = await refundsOf(ctx, tx, payment.id);
  const { known, fresh, unmatched } = matchRefunds(ours, listed, namesKeys);
  const booked = await postingsOf(ctx, tx, payment.id, "refund");
  const decisions: RefundDecision[] = [];
  for (const match of known) {
    if (match.adopted)
      await changeRefund(ctx, tx, match.ours, { gatewayId: match.listed.refundId });
    const { id } = match.ours;
    const left = payment.amount - (await heldOf(ctx, tx, payment.id));
    const decision = decideKnownRefund(match.ours, match.listed, left, booked.has(`refund:${id}`));
    if (decision.kind === "undo") await failAfterAllIn(ctx, tx, id, decision.reason);
    if (decision.kind === "revive") await succeedAfterAllIn(ctx, tx, id, match.listed.refundId);
    decisions.push(decision);
  }
  for (const one of fresh) {
    const left = payment.amount - (await heldOf(ctx, tx, payment.id));
    const open = ours.filter(({ status }) => isOpen(status));
    const decision = decideNewRefund(payment, left, open, unmatched, one);
    if (decision.kind === "record") await insertSucceeded(ctx, tx, payment, one);
    decisions.push(decision);
  }
  return decisions;
}

async function insertSucceeded(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  { refundId, amount, currency }: RefundState,
): Promise<void> {
  const row = await insertRefund(ctx, tx, payment, {
    id: newId(),
    amount,
    reason: "Made at the payment provider",
  });
  await settleRefundIn(ctx, tx, row.id, { kind: "succeeded", refundId, amount, currency });
}
