import * as z from "zod";

// What Kutip reads of CHIP's answers. Fields that it does not read are left out; an answer without the ones here is not understood.

export const Id = z.uuid();
const minorUnits = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const Currency = z.string().regex(/^[A-Z]{3}$/);

/** The statuses of a purchase. Another one is not understood. */
const Status = z.enum([
  "created",
  "sent",
  "viewed",
  "error",
  "cancelled",
  "overdue",
  "expired",
  "blocked",
  "hold",
  "released",
  "pending_release",
  "pending_capture",
  "preauthorized",
  "paid",
  "pending_execute",
  "pending_charge",
  "cleared",
  "settled",
  "chargeback",
  "pending_refund",
  "refunded",
]);

/** What was tried with a purchase, the newest first. */
const Attempt = z.object({
  type: z.string(),
  successful: z.boolean(),
  error: z.object({ code: z.string().nullish(), message: z.string().nullish() }).nullish(),
});
export type Attempt = z.output<typeof Attempt>;

const CardDetails = z.object({
  masked_pan: z.string().regex(/\d{4}$/),
  expiry_month: z.coerce.number().int().min(1).max(12),
  expiry_year: z.coerce.number().int().min(0).max(9_999),
});
export const readCard = (extra: unknown) => CardDetails.safeParse(extra);

const Paid = z.object({
  amount: minorUnits,
  currency: Currency,
  fee_amount: minorUnits.nullish(),
  pending_amount: minorUnits.nullish().catch(null),
});

export const Purchase = z.object({
  type: z.literal("purchase").nullish(),
  id: Id,
  status: Status,
  is_test: z.boolean(),
  brand_id: Id,
  company_id: Id.nullish(),
  reference: z.string(),
  purchase: z.object({ total: minorUnits, currency: Currency }),
  payment: Paid.nullish(),
  issuer_details: z
    .object({ brand_name: z.string().nullish(), legal_name: z.string().nullish() })
    .nullish(),
  transaction_data: z
    .object({
      payment_method: z.string().nullish(),
      extra: z.unknown(),
      attempts: z.array(Attempt).nullish(),
    })
    .nullish(),
  status_history: z
    .array(
      z.object({
        status: z.string(),
        timestamp: z.int(),
        related_object: z.object({ type: z.string(), id: z.string() }).nullish(),
      }),
    )
    .nullish(),
  is_recurring_token: z.boolean(),
  skip_capture: z.boolean(),
  refund_availability: z.string().nullish(),
  refundable_amount: minorUnits.nullish(),
  marked_as_paid: z.boolean().nullish(),
  success_redirect: z.string().nullish(),
  checkout_url: z.string().nullish(),
});
export type Purchase = z.output<typeof Purchase>;

/** The payment that a refund is. */
const RefundPayment = z.object({
  type: z.literal("payment").nullish(),
  id: Id,
  payment: z.object({
    amount: minorUnits,
    currency: Currency,
    payment_type: z.literal("refund"),
  }),
});

/** A refund's payment; or the purchase, while its refund is pending. */
export const RefundResult = z.union([RefundPayment, Purchase]);
export type RefundResult = z.output<typeof RefundResult>;

export const PublicKey = z.string().trim().min(1).max(10_000);

/** A page of webhooks. `next`: where the following page is; null after the last. */
export const Webhooks = z.object({
  results: z.array(z.object({ callback: z.string(), public_key: PublicKey.nullish() })),
  next: z.string().nullish(),
});

/** The body of a 400: an error by field, or under `__all__`. The form under fields is not documented. */
export const Failure = z.record(z.string(), z.unknown());
const Detail = z.object({ message: z.string().nullish(), code: z.string().nullish() });
export const readDetail = (value: unknown) => {
  const read = Detail.safeParse(Array.isArray(value) ? value[0] : value);
  if (read.success) return read.data;
  const [first] = Array.isArray(value) ? value : [value];
  return typeof first === "string" ? { message: first } : {};
};

/** The body of any callback. The objects of payouts and of CHIP's own subscriptions are not documented. */
export const CallbackEvent = z.object({ event_type: z.string().min(1).max(100) });

/** The body of a callback about a purchase or a refund's payment, with the event's name. */
export const CallbackBody = CallbackEvent.extend({
  type: z.string().nullish(),
  id: Id,
  is_test: z.boolean(),
  brand_id: Id.nullish(),
  reference: z.string().nullish(),
  status: z.string().nullish(),
  payment: Paid.nullish(),
  related_to: z.object({ type: z.string(), id: Id }).nullish(),
});
export type CallbackBody = z.output<typeof CallbackBody>;
