import type { RefundRow } from "@/lib/domain/payments/refunds/rows";
import { isRecorded, statusAfterRefund } from "@/lib/domain/payments/refunds/rules";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { canTransition } from "@/lib/domain/payments/rules";
import type { RefundsAndDisputes, Money, Movement, RefundState } from "@/lib/gateways/gateway";
import { displayAmount } from "@/lib/kernel/money";

type Paid = Pick<PaymentRow, "id" | "amount" | "currency">;
type OurRefund = Pick<RefundRow, "id" | "status" | "gatewayId" | "amount" | "currency">;
type Standing = Pick<PaymentRow, "status" | "message" | "disputeStatus">;

/** The status, dispute status and message that a dispute gives a payment. Gateways never drop disputes: no dispute is an old answer, which changes nothing. */
export function decideStanding(
  payment: Standing & Paid & Pick<PaymentRow, "refundedAmount">,
  dispute: RefundsAndDisputes["dispute"],
): Standing {
  const { status, message, disputeStatus, amount, refundedAmount } = payment;
  const unchanged = { status, message, disputeStatus };
  if (dispute === null || (dispute.status === "won" && status !== "disputed")) return unchanged;
  if (dispute.status === "won")
    return {
      status: statusAfterRefund("succeeded", amount, refundedAmount),
      message: null,
      disputeStatus: "won",
    };
  if (status !== "disputed" && !canTransition(status, "disputed")) return unchanged;
  const why = dispute.reason.replaceAll("_", " ");
  return {
    status: "disputed",
    disputeStatus: dispute.status,
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

/** Without the gateway's id: staff recorded it, or said the outcome of one that was sent. */
type Settled = OurRefund & Pick<RefundRow, "createdAt" | "succeededAt">;

/**
 * `known`: a listed refund with its stored row. `adopted`: that row had no id, and it gets the gateway's id now. `fresh`: listed without a row.
 * `unmatched`: rows without an id that the gateway may list without our key, and does not.
 */
export type RefundMatches<Ours> = {
  known: { listed: RefundState; ours: Ours; adopted: boolean }[];
  fresh: RefundState[];
  unmatched: Ours[];
};

/**
 * Pairs each refund that the gateway lists with one stored row: by our key, then by the gateway's id. The rest are paired by amount with rows
 * that succeeded by the word of staff and that have no such id yet. A failed one stays unpaired: it may be an earlier try of the same refund.
 * `namesKeys`: the gateway lists a refund that was sent under its key.
 */
export function matchRefunds<Ours extends Settled>(
  ours: readonly Ours[],
  listed: readonly RefundState[],
  namesKeys: boolean,
): RefundMatches<Ours> {
  const matches: RefundMatches<Ours> = { known: [], fresh: [], unmatched: [] };
  const hasNoId = (row: Ours) => row.status === "succeeded" && row.gatewayId === null;
  const rest = new Set(ours.filter(hasNoId));
  const adopt = (one: RefundState, row: Ours) => {
    rest.delete(row);
    matches.known.push({ listed: one, ours: row, adopted: true });
  };
  const others: RefundState[] = [];
  for (const one of new Map(listed.map((each) => [each.refundId, each])).values()) {
    const row =
      ours.find(({ id }) => id === one.key) ??
      ours.find(({ gatewayId }) => gatewayId === one.refundId);
    if (!row) others.push(one);
    else if (rest.has(row)) adopt(one, row);
    else matches.known.push({ listed: one, ours: row, adopted: false });
  }
  for (const status of ["succeeded", "pending", "failed"] as const)
    for (const one of others.filter((each) => each.status === status)) {
      const row =
        status === "failed" ? undefined : [...rest].find((each) => isSameMoney(each, one));
      if (row) adopt(one, row);
      else matches.fresh.push(one);
    }
  matches.unmatched.push(...[...rest].filter((row) => !namesKeys || isRecorded(row)));
  return matches;
}

const isSameMoney = (one: Money, other: Money) =>
  one.amount === other.amount && one.currency === other.currency;

/**
 * `record`: a refund that was made at the gateway. `undo`: a refund that succeeded here has failed there. `revive`: the other way round. `wait`: a refund that was made here
 * holds the same money and has no outcome. `misfit`: staff read the problem, nothing is written. `keep`: nothing is new.
 */
export type RefundDecision =
  | { kind: "record" }
  | { kind: "undo"; reason: string }
  | { kind: "revive" }
  | { kind: "wait" }
  | { kind: "misfit"; problem: string }
  | { kind: "keep" };

/**
 * What to do about a refund that the gateway lists and that we do not have. `left`: what can still go back of the payment. `open`: our refunds without
 * an outcome. `unmatched`: refunds that staff recorded and the gateway does not list. The listed one may be one of these, so that it is not booked.
 */
export function decideNewRefund(
  payment: Paid,
  left: number,
  open: readonly OurRefund[],
  unmatched: readonly OurRefund[],
  listed: RefundState,
): RefundDecision {
  const { amount, currency } = listed;
  const same = unmatched.find((one) => isSameMoney(one, listed));
  if (listed.status === "failed" && same)
    return {
      kind: "misfit",
      problem: `The payment provider could not refund ${displayAmount(amount, currency)} (${listed.refundId}). Refund ${same.id} may be the same, and stays as it is: staff recorded it. If it is, refund the payment at the provider again.`,
    };
  // A pending refund is sent again by its job. This one was made at the gateway, so it is stored only once it has succeeded.
  if (listed.status !== "succeeded") return { kind: "keep" };
  const mayBeOurs = listed.key === null && open.some((one) => isSameMoney(one, listed));
  if (mayBeOurs || (currency === payment.currency && amount > left && open.length > 0))
    return { kind: "wait" };
  if (currency !== payment.currency || amount > left || amount <= 0)
    return misfit(
      listed,
      `that does not fit what is left of payment ${payment.id}, and is not booked.`,
    );
  const [first] = unmatched;
  if (first)
    return misfit(
      listed,
      `that may be refund ${first.id} of ${displayAmount(first.amount, first.currency)}, which staff recorded, and is not booked. If it is another refund, record it too.`,
    );
  return { kind: "record" };
}

/** What to do about a refund that the gateway lists and that we have. `left`: what can still go back of the payment. `wasBooked`: it succeeded here once. */
export function decideKnownRefund(
  known: Pick<OurRefund, "id" | "status" | "amount" | "currency">,
  listed: RefundState,
  left: number,
  wasBooked: boolean,
): RefundDecision {
  const same = isSameMoney(listed, known);
  if (known.status === "succeeded" && listed.status === "failed" && same)
    return {
      kind: "undo",
      reason: listed.reason ?? "The payment provider could not refund the money.",
    };
  if (known.status === "failed" && listed.status === "succeeded" && same && !wasBooked)
    return listed.amount <= left
      ? { kind: "revive" }
      : misfit(listed, `refund ${known.id} had failed here, and no longer fits what is left.`);
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
  problem: `The payment provider refunded ${displayAmount(amount, currency)} (${refundId}): ${why}`,
});
