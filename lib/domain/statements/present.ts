import type { StatementLine } from "@/lib/contract/statements";
import { decimalAmount } from "@/lib/kernel/money";
import type { LineRow } from "./rows";

/** A line of a statement as the API returns it. */
export function presentLine(row: LineRow): StatementLine {
  const { gross, refunds, disputes, fees, currency } = row;
  const net = gross - refunds - disputes - fees;
  return {
    _id: row.id,
    kind: row.kind === "gross" ? "payment" : row.kind,
    currency,
    gross,
    refunds,
    disputes,
    fees,
    net,
    net_decimal: decimalAmount(net, currency),
    payment_id: row.paymentId,
    refund_id: row.refundId,
    email: row.email,
    title: row.title,
    reference: row.reference,
    method: row.method,
    paid_at: row.kind === "gross" ? row.succeededAt : null,
    created_at: row.createdAt,
  };
}
