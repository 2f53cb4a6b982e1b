import type { ListedRefund, Refund } from "@/lib/contract/refunds";
import { decimalAmount } from "@/lib/kernel/money";
import { resolvableAt } from "../rules";
import type { RefundRow } from "./rows";

/** A refund as the API answers it. */
export function presentRefund(row: RefundRow): Refund {
  return {
    _id: row.id,
    payment_id: row.paymentId,
    amount: row.amount,
    amount_decimal: decimalAmount(row.amount, row.currency),
    currency: row.currency,
    status: row.status,
    reason: row.reason,
    message: row.message,
    gateway: row.gateway,
    business_id: row.businessId,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

/** The same with what staff can do about it. */
export const presentListedRefund = (row: RefundRow): ListedRefund => ({
  ...presentRefund(row),
  resolvable_at: resolvableAt(row),
});
