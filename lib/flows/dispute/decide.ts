import type { RefundRow } from "@/lib/domain/payments/refunds/rows";
import { statusAfterRefund } from "@/lib/domain/payments/refunds/rules";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { canTransition } from "@/lib/domain/payments/rules";
import type { RefundsAndDisputes, Money, Movement, RefundState } from "@/lib/gateways/gateway";
import { displayAmount } from "@/lib/kernel/money";

type Paid = Pick<PaymentRow, "id" | "amount" | "currency">;
type Standing = Pick<PaymentRow, "status" | "message">;

/** The status and message that a dispute gives a payment. Gateways never drop disputes: no dispute is an old answer, which changes nothing. */
export function decideStanding(
  { status, message, amount, refundedAmount }: Standing & Paid & Pick<PaymentRow, "refundedAmount">,
  dispute: RefundsAndDisputes["dispute"],
): Standing {
  if (dispute === null || (dispute.status === "won" && status !== "disputed"))
    return { status, message };
  if (dispute.status === "won")
    return { status: statusAfterRefund("succeeded", amount, refundedAmount), message: null };
  if (status !== "disputed" && !canTransition(status, "disputed")) return { status, message };
  const why = dispute.reason.replaceAll("_", " ");
  return {
    status: "disputed",
    message:
      dispute.status === "lost"
        ? `The payer's bank has kept the money (${why}).`
        : `The payer disputes this payment with their bank (${why}).`,
  };
}

/** `book`: write it; `disputedAmount` is the sum after it. `misfit`: staff read the problem, nothing is written. */
export type MovementDecision =
  | { kind: "book"; money: Money; fee: Money; disputedAmount: number }
  | { kind: "misfit"; problem: string };

/** Whether money that moved for a dispute fits: never more taken than was paid, nor more returned than was taken. */
export function decideMovement(
  payment: Paid,
  disputedAmount: number,
  { id, money, fee, stated }: Movement,
): MovementDecision {
  const after = money?.currency === payment.currency ? disputedAmount + money.amount : -1;
  if (money === null || fee === null || after < 0 || after > payment.amount)
    return {
      kind: "misfit",
      problem: `A dispute moved ${stated} of payment ${payment.id} (${id}): that does not fit what was paid, and is not booked.`,
    };
  return { kind: "book", money, fee, disputedAmount: after };
}

/**
 * `record`: a refund that was made at the gateway. `undo`: a refund that succeeded here has failed there. `wait`: a refund of ours without an
 * outcome holds the same money. `misfit`: staff read the problem, nothing is written. `keep`: nothing is new.
 */
export type RefundDecision =
  | { kind: "record" }
  | { kind: "undo"; reason: string }
  | { kind: "wait" }
  | { kind: "misfit"; problem: string }
  | { kind: "keep" };

/** What to do about a refund that the gateway lists and that we do not have. `left`: what can still go back of the payment. */
export function decideNewRefund(
  payment: Paid,
  left: number,
  oursAreOpen: boolean,
  listed: RefundState,
): RefundDecision {
  // Ours would be sent again while they are on the way; this one is not ours to send.
  if (listed.status !== "succeeded") return { kind: "keep" };
  const { amount, currency } = listed;
  if (currency === payment.currency && amount > left && oursAreOpen) return { kind: "wait" };
  if (currency !== payment.currency || amount > left || amount <= 0)
    return misfit(
      listed,
      `that does not fit what is left of payment ${payment.id}, and is not booked.`,
    );
  return { kind: "record" };
}

/** What to do about a refund that the gateway lists and that we have. */
export function decideKnownRefund(
  known: Pick<RefundRow, "id" | "status" | "amount" | "currency">,
  listed: RefundState,
): RefundDecision {
  const same = listed.amount === known.amount && listed.currency === known.currency;
  if (known.status === "succeeded" && listed.status === "failed" && same)
    return {
      kind: "undo",
      reason: listed.reason ?? "The gateway could not give the money back.",
    };
  if (known.status === "failed" && listed.status === "succeeded")
    return misfit(listed, `refund ${known.id} had failed here, and is not booked.`);
  if (known.status === "succeeded" && !same)
    return misfit(
      listed,
      `refund ${known.id} was of ${displayAmount(known.amount, known.currency)}, and stays as it is.`,
    );
  return { kind: "keep" };
}

const misfit = ({ refundId, amount, currency }: RefundState, why: string): RefundDecision => ({
  kind: "misfit",
  problem: `The gateway gave back ${displayAmount(amount, currency)} (${refundId}): ${why}`,
});
