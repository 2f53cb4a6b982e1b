import type { LedgerEntry } from "@/lib/contract/ledger";
import { FORMER_MANUAL_ACCOUNT } from "@/lib/contract/values";
import { decimalAmount } from "@/lib/kernel/money";
import type { EntryRow } from "./rows";

/** An entry as the API answers it. */
export function presentEntry(row: EntryRow): LedgerEntry {
  return {
    _id: row.id,
    posting: row.postingId,
    kind: row.kind,
    account: row.account === FORMER_MANUAL_ACCOUNT ? "manual" : row.account,
    amount: row.amount,
    amount_decimal: decimalAmount(row.amount, row.currency),
    currency: row.currency,
    payment_id: row.paymentId,
    refund_id: row.refundId,
    business_id: row.businessId,
    created_at: row.createdAt,
  };
}
