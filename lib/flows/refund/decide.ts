import { isRefundable } from "@/lib/domain/payments/refunds/rules";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { conflict, invalid, type Problem } from "@/lib/kernel/problem";

export type Decision = { kind: "refund"; amount: number } | { kind: "refuse"; problem: Problem };

const refuse = (problem: Problem): Decision => ({ kind: "refuse", problem });

/** Whether a locked payment can be refunded, and by how much. `held`: refunded already or on the way. Without `asked` it is all that is left. */
export function decide(
  { status, amount }: Pick<PaymentRow, "status" | "amount">,
  held: number,
  asked: number | undefined,
): Decision {
  const left = amount - held;
  if (status === "disputed")
    return refuse(conflict("This payment is disputed: the payer's bank decides about the money."));
  if (status === "refunded" || (isRefundable(status) && left === 0))
    return refuse(conflict("This payment is fully refunded, or its refunds are on the way."));
  if (!isRefundable(status))
    return refuse(conflict("Only a payment that succeeded can be refunded."));
  if (asked !== undefined && asked > left)
    return refuse(invalid({ amount: [`The amount must not be greater than ${left}.`] }));
  return { kind: "refund", amount: asked ?? left };
}
