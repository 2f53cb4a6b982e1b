import type { RefundRow } from "@/lib/domain/payments/refunds/rows";
import { isOpen, isRefundable } from "@/lib/domain/payments/refunds/rules";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { safeAbsenceMinutes } from "@/lib/domain/payments/rules";
import type { FindRefundAnswer, RefundSupport } from "@/lib/gateways/gateway";
import { conflict, invalid, Problem } from "@/lib/kernel/problem";

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

/** Throws 409 while a refund of the payment has no outcome: two of them look alike at its gateway. */
export function assertNoneOpen(refunds: readonly Pick<RefundRow, "status">[]): void {
  if (refunds.some(({ status }) => isOpen(status)))
    throw conflict(
      "An earlier refund of this payment has no outcome yet. Refund more once it has one.",
    );
}

/** `ask`: the gateway makes the refund. `record`: staff made it there, and it is only written down. */
export type SupportDecision =
  | { kind: "ask" }
  | { kind: "record" }
  | { kind: "refuse"; problem: Problem };

/** Who makes a refund, by what the gateway says of the payment. `title`: the gateway's name. `made`: staff say that they made it at the gateway. */
export function decideSupport(
  title: string,
  support: RefundSupport,
  made: boolean,
): SupportDecision {
  if (support.kind === "unknown")
    return {
      kind: "refuse",
      problem: new Problem(
        503,
        "unavailable",
        `${title} did not say whether this payment can be refunded. Try again in a moment.`,
        { headers: { "retry-after": "10" } },
      ),
    };
  if (support.kind === "supported")
    return made
      ? {
          kind: "refuse",
          problem: conflict(`${title} can refund this payment: refund it without recording it.`),
        }
      : { kind: "ask" };
  return made
    ? { kind: "record" }
    : {
        kind: "refuse",
        problem: new Problem(409, "refund_unsupported", support.reason),
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
