import type { PaymentStatus } from "@/lib/contract/values";
import type { ChargeAnswer, FindAnswer } from "@/lib/gateways/gateway";
import type { PaymentRow } from "./rows";
import { canTransition, isSetAside, statusOf } from "./rules";

export type Success = Extract<ChargeAnswer, { kind: "succeeded" }>;

/**
 * `set_aside`: another amount or currency than was asked, which never counts as paid. `fee`: the payment has its outcome, only the fee can be
 * new. `check`: nothing is new. `apply`: the answer gives the payment this status.
 */
export type Settlement =
  | { kind: "set_aside"; answer: Success }
  | { kind: "fee" }
  | { kind: "check" }
  | { kind: "apply"; status: PaymentStatus };

/** What the gateway's answer does to a locked payment. */
export function settlementOf(
  payment: Pick<
    PaymentRow,
    "status" | "amount" | "currency" | "succeededAt" | "gatewayId" | "message" | "flags"
  >,
  answer: FindAnswer,
): Settlement {
  if (
    answer.kind === "succeeded" &&
    (answer.amount !== payment.amount || answer.currency !== payment.currency)
  )
    return { kind: "set_aside", answer };
  if (payment.succeededAt !== null) return { kind: "fee" };
  // Another amount has arrived: a person decides about it, unless the right one comes.
  if (isSetAside(payment) && answer.kind !== "succeeded") return { kind: "check" };
  // It speaks of an attempt without a page or charge: one was made since the gateway was asked.
  const isStale =
    (answer.kind === "failed" || answer.kind === "cancelled") &&
    answer.gatewayId === "" &&
    payment.gatewayId !== null;
  // An answer to an earlier press came late: the payer is on the page that was stored first.
  const isOtherPage =
    answer.kind === "open" && payment.gatewayId !== null && answer.gatewayId !== payment.gatewayId;
  if (isStale || isOtherPage) return { kind: "check" };
  // The payer's last try on the page failed, or the next one began.
  const isNews =
    answer.kind === "open" &&
    payment.status === "requires_action" &&
    (answer.declined ?? null) !== payment.message;
  if (isNews) return { kind: "apply", status: "requires_action" };
  const status = statusOf(answer);
  return status === null || !canTransition(payment.status, status)
    ? { kind: "check" }
    : { kind: "apply", status };
}
