import type { PaymentStatus, RefundStatus } from "@/lib/contract/values";
import type { FindRefundAnswer } from "@/lib/gateways/gateway";

/** The statuses that may follow each status of a refund. */
const transitions: Record<RefundStatus, readonly RefundStatus[]> = {
  submitting: ["pending", "unknown", "succeeded", "failed"],
  pending: ["unknown", "succeeded", "failed"],
  unknown: ["pending", "succeeded", "failed"],
  // Only by what the gateway's own list says later: an answer to a request may be older than the success it speaks against.
  succeeded: [],
  failed: [],
};

export const canTransition = (from: RefundStatus, to: RefundStatus) =>
  transitions[from].includes(to);

/** Not over yet: holds its part of the payment, and the reconciler looks after it. */
export const isOpen = (status: RefundStatus) => transitions[status].length > 0;

/** Whether staff gave the money back: such a refund succeeds in the transaction that writes it, and one that was sent does so later. */
export const isRecorded = ({
  createdAt,
  succeededAt,
}: {
  createdAt: string;
  succeededAt: string | null;
}) => succeededAt === createdAt;

/** Payments of which money can go back; of a disputed one the bank has it. */
export const isRefundable = (status: PaymentStatus) =>
  status === "succeeded" || status === "partially_refunded";

/** What an answer of the gateway makes of a refund. `null`: nothing is known that is not written already. */
export const statusOf = (answer: FindRefundAnswer): RefundStatus | null =>
  answer.kind === "nothing" ? null : answer.kind;

/** The status of a payment of which this much is refunded; a dispute outweighs it. */
export function statusAfterRefund(
  status: PaymentStatus,
  amount: number,
  refunded: number,
): PaymentStatus {
  if (status === "disputed") return status;
  if (refunded === 0) return "succeeded";
  return refunded < amount ? "partially_refunded" : "refunded";
}
