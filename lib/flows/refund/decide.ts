import type { RefundRow } from "@/lib/domain/payments/refunds/rows";
import { isOpen, isRefundable } from "@/lib/domain/payments/refunds/rules";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { safeAbsenceMinutes } from "@/lib/domain/payments/rules";
import type { FindRefundAnswer, RefundState, RefundSupport } from "@/lib/gateways/gateway";
import { conflict, invalid, Problem } from "@/lib/kernel/problem";
import { decideNewRefund } from "../dispute/decide";

export type Decision = { kind: "refund"; amount: number } | { kind: "refuse"; problem: Problem };

const refuse = (problem: Problem): Decision => ({ kind: "refuse", problem });

/** Whether a locked payment can be refunded, and by how much. `held`: refunded already or on the way. Without `asked` it is all that is left. */
export function decide(
  { status, disputeStatus, amount }: Pick<PaymentRow, "status" | "disputeStatus" | "amount">,
  held: number,
  asked: number | undefined,
): Decision {
  const left = amount - held;
  if (status === "disputed")
    return refuse(
      conflict(
        disputeStatus === "lost"
          ? "This payment was disputed, and the payer's bank has kept the money."
          : "This payment is disputed: the payer's bank decides about the money.",
      ),
    );
  if (status === "refunded" || (isRefundable(status) && left === 0))
    return refuse(conflict("This payment is fully refunded, or its refunds are on the way."));
  if (!isRefundable(status))
    return refuse(conflict("Only a payment that succeeded can be refunded."));
  if (asked !== undefined && asked > left)
    return refuse(invalid({ amount: [`The amount must not be greater than ${left}.`] }));
  return { kind: "refund", amount: asked ?? left };
}

/**
 * A refund that its gateway does not show and that is never sent again, since two of them look alike there. A request may be on its way for a while;
 * after that nothing went back. `now` in milliseconds.
 */
export const decideAbsent = (
  { startedAt }: Pick<RefundRow, "startedAt">,
  now: number,
): FindRefundAnswer =>
  now - Date.parse(startedAt) < safeAbsenceMinutes * 60_000
    ? { kind: "unknown", reason: "The payment provider does not show this refund yet." }
    : {
        kind: "failed",
        reason: "The payment provider has no such refund. Nothing was refunded.",
      };

/** Whether the gateway's answer is the opposite of the outcome that a refund has. */
export const contradicts = (answer: FindRefundAnswer, { status }: Pick<RefundRow, "status">) =>
  (answer.kind === "succeeded" && status === "failed") ||
  (answer.kind === "failed" && status === "succeeded");

const unfinished = () =>
  conflict("An earlier refund of this payment has no outcome yet. Refund more once it has one.");

/** Throws 409 while a refund of the payment has no outcome: two of them look alike at its gateway. */
export function assertNoneOpen(refunds: readonly Pick<RefundRow, "status">[]): void {
  if (refunds.some(({ status }) => isOpen(status))) throw unfinished();
}

/**
 * `ask`: the gateway makes the refund. `record`: staff returned the money, and it is only written down. `look`: staff say so, and the gateway's list has to
 * show it.
 */
export type SupportDecision =
  | { kind: "ask" }
  | { kind: "record" }
  | { kind: "look" }
  | { kind: "refuse"; problem: Problem };

export const tryAgain = (message: string) =>
  new Problem(503, "unavailable", `${message} Try again in a moment.`, {
    headers: { "retry-after": "10" },
  });

/** Who makes a refund, by what the gateway says of the payment. `title`: the gateway's name. `made`: staff say that they made it at the gateway. */
export function decideSupport(
  title: string,
  support: RefundSupport,
  made: boolean,
): SupportDecision {
  if (support.kind === "unknown")
    return {
      kind: "refuse",
      problem: tryAgain(`${title} did not say whether this payment can be refunded.`),
    };
  if (support.kind === "supported") return { kind: made ? "look" : "ask" };
  return made
    ? { kind: "record" }
    : {
        kind: "refuse",
        problem: new Problem(409, "refund_unsupported", support.reason),
      };
}

export type ListedDecision =
  | { kind: "record"; listed: RefundState }
  | { kind: "refuse"; problem: Problem };

/**
 * Which refund that a gateway lists and that has no record is the one that staff record now. They say that it is none of those without an id here, so these
 * do not count. `fresh`, `left` and `open` are of the locked payment.
 */
export function decideListed(
  title: string,
  payment: Pick<PaymentRow, "id" | "amount" | "currency">,
  amount: number,
  {
    fresh,
    left,
    open,
  }: { fresh: readonly RefundState[]; left: number; open: readonly RefundRow[] },
): ListedDecision {
  const same = fresh.filter(
    (one) => one.amount === amount && one.currency === payment.currency && one.status !== "failed",
  );
  const listed = same.find(({ status }) => status === "succeeded");
  if (!listed)
    return {
      kind: "refuse",
      problem: conflict(
        same.length > 0
          ? `${title} has not finished the refund of this amount. Record it once it is done.`
          : `${title} shows no refund of this amount that is not recorded here. If the payer has the money already, do not refund it again. Only money that has not gone back is refunded without recording it.`,
      ),
    };
  const decision = decideNewRefund(payment, left, open, [], listed);
  if (decision.kind === "record") return { kind: "record", listed };
  return {
    kind: "refuse",
    problem: decision.kind === "misfit" ? conflict(decision.problem) : unfinished(),
  };
}

/**
 * The refund that staff record now, where the gateway listed it before: of the same amount, booked for the gateway and not yet recorded by a person.
 * The newest of several. Undefined without an amount, which means what is left after it.
 */
export const findListed = <
  Row extends Pick<RefundRow, "status" | "amount" | "gatewayId" | "actor">,
>(
  refunds: readonly Row[],
  amount: number | undefined,
): Row | undefined =>
  refunds.findLast(
    (row) =>
      row.status === "succeeded" &&
      row.gatewayId !== null &&
      row.actor.kind === "gateway" &&
      row.amount === amount,
  );
