import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { AmountDecimal, AmountOut, BusinessId, CurrencyOut, Id, Timestamp } from "./fields";
import { listQuery } from "./lists";

export const paymentStatuses = [
  "submitting", "requires_action", "pending", "unknown", "succeeded", "failed", "cancelled", "partially_refunded", "refunded", "disputed",
] as const;

const paymentExample = {
  _id: "6740f5d49e3c6f70b2d81a45", status: "succeeded", amount: 12550, amount_decimal: "125.50", currency: "MYR", refunded_amount: 0, gateway: "simulator",
  payment_link_id: "6740f1c09a3be27d51c8e4f0", subscription_id: null, tokenization_id: null, reference: "INV-1042", message: null, flags: [],
  business_id: 1001, created_at: "2026-11-20T13:41:02.118034Z", updated_at: "2026-11-20T13:41:05.902177Z",
};

export const Payment = z
  .object({
    _id: Id,
    status: z.enum(paymentStatuses).meta({
      description: "`unknown`: the gateway gave no definite answer; it is asked until it does, and the attempt is never repeated blindly.",
    }),
    amount: AmountOut,
    amount_decimal: AmountDecimal,
    currency: CurrencyOut,
    refunded_amount: z.int().meta({ description: "Minor units, the sum of all refunds." }),
    gateway: z.string().meta({ description: "Who moved the money." }),
    payment_link_id: Id.nullable(),
    subscription_id: Id.nullable(),
    tokenization_id: Id.nullable(),
    reference: z.string().nullable(),
    message: z.string().nullable().meta({ description: "Why it failed or what is awaited, in plain words." }),
    flags: z.array(z.string()).meta({ description: "`duplicate`: the link was already paid; `late`: it was deleted, cancelled or expired by then." }),
    business_id: BusinessId,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Payment", description: "One attempt at money.", examples: [paymentExample] });

export type Payment = z.output<typeof Payment>;

export const PaymentParams = z.object({ payment_id: Id });
export const PaymentQuery = listQuery(
  ["reference", "currency", "amount_min", "amount_max", "created_from", "created_to", "payment_link_id", "subscription_id", "tokenization_id", "q"],
  paymentStatuses,
  true,
);
export type PaymentQuery = z.output<typeof PaymentQuery>;

const tag = "Payments";

export const listPayments = endpoint({ id: "listPayments", method: "GET", path: "/payments", tag, summary: "List payments", query: PaymentQuery, response: page(Payment) });
export const getPayment = endpoint({
  id: "getPayment", method: "GET", path: "/payments/{payment_id}", tag, summary: "Get a payment", params: PaymentParams, response: Payment,
});
