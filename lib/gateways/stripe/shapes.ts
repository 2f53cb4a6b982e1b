import * as z from "zod";

// What we read of Stripe's answers, checked as from a stranger. Whatever else they hold is dropped.

const id = z.string().min(1).max(255);
const epoch = z.int();
const text = z.string().max(5_000);
const metadata = z.record(z.string(), z.string());

/** Metadata keys of the objects that we create at Stripe. */
export const attemptKey = "kutip_attempt";
export const ownKey = "kutip_reference";
export const linkKey = "kutip_link";
export const subscriptionKey = "kutip_subscription";
export const tokenizationKey = "kutip_tokenization";
export const refundKey = "kutip_refund";

/** The answer to a deletion. */
export const Deleted = z.object({ id, deleted: z.literal(true) });

const Decline = z.object({
  code: text.nullish(),
  decline_code: text.nullish(),
  advice_code: text.nullish(),
  message: text.nullish(),
});
export type Decline = z.output<typeof Decline>;

const BalanceTransaction = z.object({ id, fee: z.int(), currency: z.string().length(3) });

const Charge = z.object({
  id,
  payment_method_details: z.object({ type: z.string().max(50) }).nullish(),
  balance_transaction: z.union([BalanceTransaction, z.string()]).nullish(),
});

export const PaymentIntent = z.object({
  object: z.literal("payment_intent"),
  id,
  livemode: z.boolean(),
  created: epoch,
  status: z.enum([
    "requires_payment_method",
    "requires_confirmation",
    "requires_action",
    "processing",
    "requires_capture",
    "canceled",
    "succeeded",
  ]),
  amount: z.int(),
  amount_received: z.int(),
  currency: z.string().length(3),
  description: z.string().nullish(),
  metadata,
  last_payment_error: Decline.nullish(),
  latest_charge: z.union([Charge, z.string()]).nullish(),
});
export type PaymentIntent = z.output<typeof PaymentIntent>;

export const PaymentMethod = z.object({
  object: z.literal("payment_method"),
  id,
  type: z.string(),
  customer: z.union([z.object({ id }), z.string()]).nullish(),
  card: z
    .object({
      brand: z.string().max(50),
      last4: z.string().regex(/^\d{4}$/),
      exp_month: z.int().min(1).max(12),
      exp_year: z.int().min(2000).max(2200),
    })
    .nullish(),
});
export type PaymentMethod = z.output<typeof PaymentMethod>;

export const SetupIntent = z.object({
  object: z.literal("setup_intent"),
  id,
  metadata: metadata.nullish(),
  status: z.enum([
    "requires_payment_method",
    "requires_confirmation",
    "requires_action",
    "processing",
    "canceled",
    "succeeded",
  ]),
  payment_method: z.union([PaymentMethod, z.string()]).nullish(),
  last_setup_error: Decline.nullish(),
});

export const Session = z.object({
  object: z.literal("checkout.session"),
  id,
  livemode: z.boolean(),
  created: epoch,
  mode: z.enum(["payment", "setup", "subscription"]),
  status: z.enum(["open", "complete", "expired"]).nullable(),
  client_reference_id: z.string().nullable(),
  url: z.url({ protocol: /^https?$/ }).nullish(),
  amount_total: z.int().nullish(),
  currency: z.string().length(3).nullish(),
  customer: z.union([z.object({ id }), z.string()]).nullish(),
  payment_intent: z.union([PaymentIntent, z.string()]).nullish(),
  setup_intent: z.union([SetupIntent, z.string()]).nullish(),
});
export type Session = z.output<typeof Session>;

export const Refund = z.object({
  object: z.literal("refund"),
  id,
  amount: z.int(),
  currency: z.string().length(3),
  metadata: metadata.nullish(),
  status: z.enum(["pending", "requires_action", "succeeded", "failed", "canceled"]).nullable(),
  failure_reason: text.nullish(),
  next_action: z
    .object({
      display_details: z
        .object({ email_sent: z.object({ email_sent_at: epoch }).nullish(), expires_at: epoch })
        .nullish(),
    })
    .nullish()
    .catch(null),
});
export type Refund = z.output<typeof Refund>;

/** `amount` and `fee` as they change the account's balance: what a dispute takes is negative. */
const Moved = z.object({
  object: z.literal("balance_transaction"),
  id,
  amount: z.int(),
  fee: z.int(),
  currency: z.string().length(3),
  created: epoch,
});

export const Dispute = z.object({
  object: z.literal("dispute"),
  id,
  amount: z.int(),
  currency: z.string().length(3),
  status: z.string().max(60),
  reason: z.string().max(100),
  created: epoch,
  balance_transactions: z.array(Moved).max(100),
});
export type Dispute = z.output<typeof Dispute>;

/** A refund or dispute as far as it names its payment. */
export const Returned = z.object({
  object: z.enum(["refund", "dispute"]),
  id,
  payment_intent: z.string().max(255).nullish(),
});
export type Returned = z.output<typeof Returned>;

export const WebhookEndpoint = z.object({
  object: z.literal("webhook_endpoint"),
  id,
  url: z.string().max(5_000),
  secret: z.string().min(1).max(255).nullish(),
});

export const Account = z.object({
  object: z.literal("account"),
  id,
  settings: z.object({ dashboard: z.object({ display_name: text.nullish() }).nullish() }).nullish(),
});

/** A page of a list. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ object: z.literal("list"), data: z.array(item).max(100), has_more: z.boolean() });

/** An error as the SDK throws it. */
export const Failure = z.object({
  type: z.string(),
  rawType: z.string().nullish(),
  code: text.nullish(),
  message: text,
  statusCode: z.int().nullish(),
  decline_code: text.nullish(),
  advice_code: text.nullish(),
  payment_intent: PaymentIntent.nullish().catch(null),
  headers: z.record(z.string(), z.string()).nullish().catch(null),
});
export type Failure = z.output<typeof Failure>;

const idOf = z
  .union([id, z.object({ id }).transform((found) => found.id)])
  .nullish()
  .catch(null);

/** An event: what it is about is read only as far as it says where to look, and what it claims. */
export const Event = z.object({
  object: z.literal("event"),
  id,
  type: z.string().min(1).max(255),
  livemode: z.boolean(),
  account: z.string().max(255).nullish(),
  data: z.object({
    object: z.object({
      object: z.string().max(100),
      id: id.nullish().catch(null),
      metadata: metadata.nullish().catch(null),
      client_reference_id: z.string().max(255).nullish().catch(null),
      payment_intent: idOf,
      charge: idOf,
      amount: z.int().nullish().catch(null),
      amount_total: z.int().nullish().catch(null),
      currency: z.string().length(3).nullish().catch(null),
      mode: z.string().nullish().catch(null),
      payment_status: z.string().nullish().catch(null),
    }),
  }),
});
export type Event = z.output<typeof Event>;
