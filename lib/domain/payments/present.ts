import type { Payment, PaymentWithPayer } from "@/lib/contract/payments";
import { decimalAmount } from "@/lib/kernel/money";
import type { PayerFacts } from "./payer-rows";
import type { PaymentRow } from "./rows";
import { isSetAside, resolvableAt } from "./rules";

/** A payment as the API answers it. */
export function presentPayment(row: PaymentRow): Payment {
  return {
    _id: row.id,
    status: row.status,
    amount: row.amount,
    amount_decimal: decimalAmount(row.amount, row.currency),
    currency: row.currency,
    refunded_amount: row.refundedAmount,
    disputed_amount: row.disputedAmount,
    dispute_status: row.disputeStatus,
    gateway: row.gateway,
    payment_link_id: row.paymentLinkId,
    subscription_id: row.subscriptionId,
    tokenization_id: row.tokenizationId,
    reference: row.reference,
    message: row.message,
    flags: row.flags,
    method: row.method,
    note: row.note,
    received_at: row.receivedAt,
    business_id: row.businessId,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

/** A payment with who paid, for what, how, and what the gateway kept. */
export function presentWithPayer(row: PaymentRow & PayerFacts): PaymentWithPayer {
  const { fee, feeCurrency, disputeFee, disputeFeeCurrency, amount, currency } = row;
  const net = fee !== null && feeCurrency === currency ? amount - fee : null;
  return {
    ...presentPayment(row),
    succeeded_at: row.succeededAt,
    email: row.email,
    title: row.title,
    payment_method_type: row.paidWith,
    card_brand: row.cardBrand,
    card_last4: row.cardLast4,
    fee,
    fee_decimal: decimalIn(fee, feeCurrency),
    fee_currency: feeCurrency,
    net,
    net_decimal: decimalIn(net, currency),
    refunded_amount_decimal: decimalAmount(row.refundedAmount, currency),
    disputed_amount_decimal: decimalAmount(row.disputedAmount, currency),
    dispute_fee: disputeFee,
    dispute_fee_decimal: decimalIn(disputeFee, disputeFeeCurrency),
    dispute_fee_currency: disputeFeeCurrency,
    // One with another amount may be resolved at once.
    resolvable_at: isSetAside(row) ? null : resolvableAt(row),
  };
}

const decimalIn = (amount: number | null, currency: string | null): string | null =>
  amount === null || currency === null ? null : decimalAmount(amount, currency);
