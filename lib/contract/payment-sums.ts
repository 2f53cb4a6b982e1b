import type { PaymentWithPayer } from "./payments";

export type Sum = { amount: number; currency: string };
type Fees = Pick<PaymentWithPayer, "fee" | "fee_currency" | "dispute_fee" | "dispute_fee_currency">;
type Booked = Fees &
  Pick<PaymentWithPayer, "amount" | "currency" | "refunded_amount" | "disputed_amount">;

/** What the gateway kept of a payment, for taking it and for disputes, by currency. */
export function feesOf(payment: Fees): Sum[] {
  const fees = [
    { amount: payment.fee, currency: payment.fee_currency },
    { amount: payment.dispute_fee, currency: payment.dispute_fee_currency },
  ].flatMap(({ amount, currency }) => (amount && currency ? [{ amount, currency }] : []));
  return [...Map.groupBy(fees, ({ currency }) => currency)].map(([currency, all]) => ({
    amount: all.reduce((sum, { amount }) => sum + amount, 0),
    currency,
  }));
}

/** What is left of a payment in its currency, as the ledger has booked it. A fee in another currency is no part of that. */
export const netOf = (payment: Booked): number =>
  payment.amount -
  payment.refunded_amount -
  payment.disputed_amount -
  (feesOf(payment).find(({ currency }) => currency === payment.currency)?.amount ?? 0);
