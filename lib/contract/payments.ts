import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { AmountDecimal, AmountOut, Id, Timestamp } from "./fields";
import { listQuery } from "./lists";

export const paymentStatuses = [
  "submitting", "requires_action", "pending", "unknown", "succeeded", "failed", "cancelled", "partially_refunded", "refunded", "disputed",
] as const;

export const Payment = z
  .object({
    _id: Id,
    status: z.enum(paymentStatuses),
    amount: AmountOut,
    amount_decimal: AmountDecimal,
    currency: z.string(),
    refunded_amount: z.int(),
    gateway: z.string(),
    payment_link_id: Id.nullable(),
    subscription_id: Id.nullable(),
    tokenization_id: Id.nullable(),
    reference: z.string().nullable(),
    message: z.string().nullable().meta({ description: "Why it failed or what is awaited, in plain words." }),
    flags: z.array(z.string()).meta({ description: "`duplicate`: the link was already paid; `late`: it was deleted, cancelled or expired by then." }),
    business_id: z.int(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Payment", description: "One attempt at money." });

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
