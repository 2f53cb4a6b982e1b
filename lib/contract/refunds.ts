import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import {
  AmountDecimal,
  AmountOut,
  BusinessId,
  CurrencyOut,
  Id,
  Note,
  RefundAmount,
  Timestamp,
} from "./fields";
import { listQuery } from "./lists";
import { PaymentParams } from "./payments";
import { limits, type RefundStatus, refundStatuses } from "./values";

const example = {
  _id: "6740f7a19e3c6f70b2d81a52",
  payment_id: "6740f5d49e3c6f70b2d81a45",
  amount: 500,
  amount_decimal: "5.00",
  currency: "MYR",
  status: "succeeded",
  reason: "One seat was not used",
  message: null,
  gateway: "simulator",
  business_id: 1001,
  created_at: "2026-11-20T13:48:49.020114Z",
  updated_at: "2026-11-20T13:48:49.310207Z",
} as const;

export const RefundInput = z
  .object({
    amount: RefundAmount.optional().describe("Default: what is left of the payment."),
    made_at_gateway: z
      .boolean()
      .optional()
      .describe(
        "Only records a refund: nothing is asked to move money. For payments that the gateway cannot refund through its API, and for a refund that was made at the gateway and is not booked. Default: false.",
      ),
    reason: Note.optional().describe(`For the business alone, at most ${limits.note} characters.`),
  })
  .meta({ id: "RefundInput", examples: [{ amount: 500, reason: "One seat was not used" }] });

export const Refund = z
  .object({
    _id: Id,
    payment_id: Id,
    amount: AmountOut,
    amount_decimal: AmountDecimal,
    currency: CurrencyOut,
    status: z.enum(refundStatuses).meta({
      description:
        "`unknown`: the gateway gave no definite answer; it is asked until it does, and nothing is given back twice. `failed`: nothing was given back, and the amount is free again.",
    }),
    reason: z.string().nullable(),
    message: z
      .string()
      .nullable()
      .meta({ description: "Why it failed or what is awaited, in plain words." }),
    gateway: z
      .string()
      .meta({ description: "Who moves the money; `manual` for a payment recorded by hand." }),
    business_id: BusinessId,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Refund", description: "Money that goes back.", examples: [example] });

export type RefundInput = z.output<typeof RefundInput>;
export type Refund = z.output<typeof Refund>;

export const ListedRefund = Refund.extend({
  resolvable_at: Timestamp.nullable().describe(
    "From when on an owner or admin may resolve it, if the gateway has not answered by then. Null unless it is `unknown`.",
  ),
}).meta({
  id: "ListedRefund",
  description: "A refund of a payment, and from when on it can be resolved.",
  examples: [{ ...example, resolvable_at: null }],
});
export type ListedRefund = z.output<typeof ListedRefund>;

export const RefundQuery = listQuery(
  ["currency", "amount_min", "amount_max", "created_from", "created_to"],
  refundStatuses,
  ["amount"],
);
export type RefundQuery = z.output<typeof RefundQuery>;

/** The outcomes that staff may give a refund that stayed unknown. */
export const resolvedOutcomes = ["succeeded", "failed"] as const satisfies readonly RefundStatus[];

export const ResolveRefundInput = z
  .object({
    outcome: z.enum(resolvedOutcomes).meta({
      description:
        "`succeeded`: the gateway gave the refund's amount back. `failed`: it gave nothing back.",
    }),
  })
  .meta({ id: "ResolveRefundInput", examples: [{ outcome: "succeeded" }] });
export type ResolveRefundInput = z.output<typeof ResolveRefundInput>;

const shared = {
  tag: "Payments",
  path: "/payments/{payment_id}/refunds",
  params: PaymentParams,
} as const;

export const createRefund = endpoint({
  ...shared,
  id: "createRefund",
  method: "POST",
  summary: "Refund a payment",
  body: RefundInput,
  mayBeEmpty: true,
  refunds: true,
  response: Refund,
  roles: ["owner", "admin"],
  description:
    "Answers with the refund whatever its status. The refunds of a payment that have not failed never exceed its amount. A payment recorded by hand is refunded by hand: the refund is recorded, nothing is asked of a gateway.",
  conflict:
    "The payment has not succeeded, is disputed, or nothing of it is left; or `made_at_gateway` names a refund that Kutip can make itself and that the gateway does not show. Also while an earlier refund has no outcome, at a gateway that cannot tell two refunds apart: try again later.",
});
export const listRefunds = endpoint({
  ...shared,
  id: "listRefunds",
  method: "GET",
  summary: "List a payment's refunds",
  description: "Newest first, with those that failed.",
  query: RefundQuery,
  response: page(ListedRefund),
});

export const resolveRefund = endpoint({
  id: "resolveRefund",
  method: "POST",
  path: "/refunds/{refund_id}/resolve",
  tag: "Payments",
  summary: "Resolve a refund",
  params: z.object({ refund_id: Id }),
  body: ResolveRefundInput,
  response: Refund,
  roles: ["owner", "admin"],
  description:
    "For a refund that has been `unknown` for 24 hours (`resolvable_at`), after you looked for it at the gateway. Nothing is asked of the gateway. A refund that succeeded is booked, and the payer gets the mail about it. The amount of one that failed is free again. If the gateway's list shows it as refunded later, it is booked after all.",
  conflict:
    "The refund has not been `unknown` for 24 hours, or was sent to the gateway within the last 15 minutes.",
});
