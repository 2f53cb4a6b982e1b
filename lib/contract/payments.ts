import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import {
  AmountDecimal,
  AmountOut,
  BusinessId,
  CurrencyOut,
  Id,
  Moment,
  Note,
  Timestamp,
} from "./fields";
import { listQuery, searchOf } from "./lists";
import { PaymentLink, PaymentLinkParams } from "./payment-links";
import { disputeStatuses, manualMethods, paymentStatuses } from "./values";
import { SeenVersion } from "./versions";

const paymentExample = {
  _id: "6740f5d49e3c6f70b2d81a45",
  status: "succeeded" as const,
  amount: 12550,
  amount_decimal: "125.50",
  currency: "MYR",
  refunded_amount: 0,
  disputed_amount: 0,
  dispute_status: null,
  gateway: "simulator",
  payment_link_id: "6740f1c09a3be27d51c8e4f0",
  subscription_id: null,
  tokenization_id: null,
  reference: "INV-1042",
  message: null,
  flags: [],
  method: null,
  note: null,
  received_at: null,
  business_id: 1001,
  created_at: "2026-11-20T13:41:02.118034Z",
  updated_at: "2026-11-20T13:41:05.902177Z",
};

export const Payment = z
  .object({
    _id: Id,
    status: z.enum(paymentStatuses).meta({
      description:
        "`unknown`: the gateway gave no definite answer. Kutip asks until it does, and never repeats the attempt blindly.",
    }),
    amount: AmountOut,
    amount_decimal: AmountDecimal,
    currency: CurrencyOut,
    refunded_amount: z.int().meta({ description: "Minor units, the sum of all refunds." }),
    disputed_amount: z
      .int()
      .meta({ description: "Minor units that the payer's bank has taken back and not returned." }),
    dispute_status: z.enum(disputeStatuses).nullable().meta({
      description:
        "Null without a dispute. `open`: the payer's bank has not decided. `lost`: the bank has kept the money, and the payment stays `disputed`. `won`: the money came back.",
    }),
    gateway: z.string().meta({
      description:
        "The gateway that took the money, or `manual` for a payment that staff or an API key recorded.",
    }),
    payment_link_id: Id.nullable(),
    subscription_id: Id.nullable(),
    tokenization_id: Id.nullable(),
    reference: z.string().nullable(),
    message: z.string().nullable().meta({
      description:
        "In plain words: why the payment or the payer's last try failed, or what it waits for.",
    }),
    flags: z.array(z.string()).meta({
      description:
        "`duplicate`: the link was already paid. `late`: the link was already deleted, cancelled or expired, or asked for another amount or currency by then. `amount_mismatch`: the gateway reported another amount or currency. The payment counts as paid only if its `status` says so. `resolved`: staff have resolved that mismatch, or an outcome that stayed unknown.",
    }),
    method: z
      .enum(manualMethods)
      .nullable()
      .meta({ description: "How the payer paid. Only on a payment that was recorded by hand." }),
    note: z.string().nullable().meta({
      description:
        "The note of the person who recorded or resolved the payment. The payer never sees it.",
    }),
    received_at: Timestamp.nullable().describe(
      "When the money arrived. Only on a payment that was recorded by hand.",
    ),
    business_id: BusinessId,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({
    id: "Payment",
    description: "One attempt to take money, successful or not.",
    examples: [paymentExample],
  });

export type Payment = z.output<typeof Payment>;

export const PaymentWithPayer = Payment.extend({
  succeeded_at: Timestamp.nullable().describe("When the money came in."),
  email: z.string().nullable().meta({
    description:
      "The payer's e-mail address: of the saved method that was charged, else of the link, else of the subscription.",
  }),
  title: z.string().meta({ description: "What was paid for, as the payer read it." }),
  payment_method_type: z.string().nullable().meta({
    description:
      "How the payer paid, in the gateway's word, such as `card` or `fpx`. Null while the gateway has not said it, and on payments recorded by hand (see `method`).",
  }),
  card_brand: z
    .string()
    .nullable()
    .meta({ description: "Brand of the saved card that was charged, as the gateway names it." }),
  card_last4: z
    .string()
    .nullable()
    .meta({ description: "The last four digits of the saved card that was charged." }),
  fee: z.int().nullable().meta({
    description:
      "What the gateway kept, in minor units of `fee_currency`. Null while the gateway has not reported it, or when it reported none.",
  }),
  fee_decimal: z.string().nullable().meta({ description: "The same as a decimal." }),
  fee_currency: z.string().nullable(),
  net: z.int().nullable().meta({
    description:
      "`amount` less `fee`, before refunds and disputes. Null when the fee is unknown or in another currency.",
  }),
  net_decimal: z.string().nullable().meta({ description: "The same as a decimal." }),
  refunded_amount_decimal: AmountDecimal,
  disputed_amount_decimal: AmountDecimal,
  dispute_fee: z.int().nullable().meta({
    description:
      "What the gateway kept for disputes, less what it returned, in minor units of `dispute_fee_currency`. It is no part of `fee` and `net`. Null when it kept nothing.",
  }),
  dispute_fee_decimal: z.string().nullable().meta({ description: "The same as a decimal." }),
  dispute_fee_currency: z.string().nullable(),
  resolvable_at: Timestamp.nullable().describe(
    "From when on an owner or admin may resolve it, if the gateway has not answered by then. Null unless it is `unknown`, and with the flag `amount_mismatch`: that can be resolved at once.",
  ),
}).meta({
  id: "PaymentWithPayer",
  description: "A payment, who paid it, for what, and what the gateway kept.",
  examples: [
    {
      ...paymentExample,
      succeeded_at: "2026-11-20T13:41:05.902177Z",
      email: "ana@example.com",
      title: "Invoice 1042",
      payment_method_type: "fpx",
      card_brand: null,
      card_last4: null,
      fee: 377,
      fee_decimal: "3.77",
      fee_currency: "MYR",
      net: 12173,
      net_decimal: "121.73",
      refunded_amount_decimal: "0.00",
      disputed_amount_decimal: "0.00",
      dispute_fee: null,
      dispute_fee_decimal: null,
      dispute_fee_currency: null,
      resolvable_at: null,
    },
  ],
});
export type PaymentWithPayer = z.output<typeof PaymentWithPayer>;

export const PaymentParams = z.object({ payment_id: Id });
export const PaymentQuery = listQuery(
  [
    "email",
    "reference",
    "currency",
    "amount_min",
    "amount_max",
    "created_from",
    "created_to",
    "succeeded_from",
    "succeeded_to",
    "collected",
    "attention",
    "payment_link_id",
    "subscription_id",
    "tokenization_id",
    "q",
  ],
  paymentStatuses,
  ["succeeded_at", "amount"],
).extend({
  q: searchOf("Part of the title or reference, the payer's whole e-mail address, or an id."),
});
export type PaymentQuery = z.output<typeof PaymentQuery>;

const tag = "Payments";

export const listPayments = endpoint({
  id: "listPayments",
  method: "GET",
  path: "/payments",
  tag,
  summary: "List payments",
  description:
    "Newest first: every attempt, successful or not, with the payer and the gateway's fee.",
  query: PaymentQuery,
  response: page(PaymentWithPayer),
});
export const getPayment = endpoint({
  id: "getPayment",
  method: "GET",
  path: "/payments/{payment_id}",
  tag,
  summary: "Get a payment",
  description: "With the payer, what was paid for, and the gateway's fee once it is known.",
  params: PaymentParams,
  response: PaymentWithPayer,
});

export const ResolvePaymentInput = z
  .object({
    note: Note.optional().describe(
      "For the business alone, at most 500 characters: what was done about the money.",
    ),
  })
  .meta({ id: "ResolvePaymentInput", examples: [{ note: "Refunded in the gateway's dashboard" }] });
export type ResolvePaymentInput = z.output<typeof ResolvePaymentInput>;

export const resolvePayment = endpoint({
  id: "resolvePayment",
  method: "POST",
  path: "/payments/{payment_id}/resolve",
  formerPath: "/payments/{payment_id}/close",
  tag,
  summary: "Resolve a payment",
  params: PaymentParams,
  body: ResolvePaymentInput,
  mayBeEmpty: true,
  response: Payment,
  roles: ["owner", "admin"],
  description:
    "For a payment with the flag `amount_mismatch`, after you refunded or kept the money at the gateway. Also for one that has been `unknown` for 24 hours (`resolvable_at`), after you looked there. Nothing is moved or booked. An `unknown` payment becomes `failed`, and its link can be paid again. If the gateway reports its money later, it is recorded all the same.",
  conflict:
    "The payment is already resolved. Or it has no amount mismatch and has not been `unknown` for 24 hours, or was sent to the gateway within the last 15 minutes.",
});

export const ManualPaymentInput = z
  .object({
    method: z.enum(manualMethods),
    note: Note.optional().describe(
      "For the business alone, at most 500 characters: a receipt's number, who brought it.",
    ),
    received_at: Moment.optional().describe(
      "When the money arrived, not in the future. Default: now.",
    ),
    version: SeenVersion,
  })
  .meta({
    id: "ManualPaymentInput",
    examples: [{ method: "bank_transfer", note: "Statement of 20 November" }],
  });
export type ManualPaymentInput = z.output<typeof ManualPaymentInput>;

export const recordPayment = endpoint({
  id: "recordPayment",
  method: "POST",
  path: "/payment-links/{payment_link_id}/payments",
  tag,
  summary: "Record a payment by hand",
  params: PaymentLinkParams,
  body: ManualPaymentInput,
  versioned: PaymentLink,
  response: Payment,
  description:
    "For money that did not come through the gateway. Records the full amount that the link has now. Send the `version` of the link that you read: if it was edited since, nothing is recorded. The link becomes `Paid`, the payer gets a receipt, and a subscription's period is settled. If the payer has an open attempt, it is first cancelled at the gateway.",
  conflict:
    "The link is paid, cancelled or expired, a payment is being processed, or the payer's open attempt could not be cancelled at the gateway.",
});
