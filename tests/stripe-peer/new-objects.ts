import {
  type Balance,
  type Behaviour,
  type Charge,
  type Dispute,
  type Intent,
  type Metadata,
  type Method,
  newIdOf,
  now,
  type Refund,
  type Session,
  type Setup,
  shown,
  type Thing,
} from "./objects";

// Stripe's objects as they are when they are made: their fields, and what is in them until something happens.

export type SessionAsked = {
  mode: "payment" | "setup";
  amount: number | null;
  currency: string | null;
  title: string;
  successUrl: string;
  cancelUrl: string;
  expiresAt: number;
  reference: string | null;
  email: string | null;
  metadata: Metadata;
  intentMetadata: Metadata;
};
export type IntentAsked = Pick<
  Intent,
  "amount" | "currency" | "metadata" | "customer" | "description" | "offSession"
>;
export type Sent = { id: string; type: string; body: string };

export function newSession(livemode: boolean, origin: string, asked: SessionAsked): Session {
  const id = newIdOf(livemode ? "cs_live" : "cs_test");
  return {
    object: "checkout.session",
    id,
    automatic_tax: { enabled: false },
    created: now(),
    custom_fields: [],
    custom_text: {},
    expires_at: asked.expiresAt,
    livemode,
    mode: asked.mode,
    payment_method_types: ["card"],
    payment_status: asked.mode === "setup" ? "no_payment_required" : "unpaid",
    shipping_options: [],
    success_url: asked.successUrl,
    cancel_url: asked.cancelUrl,
    status: "open",
    client_reference_id: asked.reference,
    metadata: asked.metadata,
    url: `${origin}/c/pay/${id}`,
    amount_total: asked.amount,
    currency: asked.currency,
    customer: null,
    customer_email: asked.email,
    payment_intent: null,
    setup_intent: null,
    title: asked.title,
    intentMetadata: asked.intentMetadata,
    declined: null,
  };
}

export const newSetup = (livemode: boolean, payment_method: Method, metadata: Metadata): Setup => ({
  object: "setup_intent",
  id: newIdOf("seti"),
  created: now(),
  livemode,
  payment_method_types: ["card"],
  status: "succeeded",
  usage: "off_session",
  payment_method,
  metadata,
});

export const newMethod = (livemode: boolean, behaviour: Behaviour, customer: string): Method => ({
  object: "payment_method",
  id: newIdOf("pm"),
  created: now(),
  livemode,
  type: "card",
  billing_details: {},
  customer,
  behaviour,
  card: { brand: "visa", last4: "4242", exp_month: 4, exp_year: 2031, funding: "credit" },
});

export const newIntent = (
  livemode: boolean,
  { amount, currency, metadata, customer, description, offSession }: IntentAsked,
): Intent => ({
  object: "payment_intent",
  id: newIdOf("pi"),
  amount,
  amount_received: 0,
  capture_method: "automatic",
  confirmation_method: "automatic",
  created: now(),
  currency,
  livemode,
  metadata,
  payment_method_types: ["card"],
  status: "requires_payment_method",
  last_payment_error: null,
  latest_charge: null,
  customer,
  description,
  attempts: [],
  offSession,
});

export const newCharge = (intent: Intent, status: Charge["status"], type: string): Charge => ({
  object: "charge",
  id: newIdOf("ch"),
  amount: intent.amount,
  amount_captured: 0,
  amount_refunded: 0,
  billing_details: {},
  captured: false,
  created: now(),
  currency: intent.currency,
  disputed: false,
  livemode: intent.livemode,
  metadata: { ...intent.metadata },
  paid: false,
  refunded: false,
  status,
  payment_intent: intent.id,
  balance_transaction: null,
  payment_method_details: { type },
});

/** A mail to the payer, who says where the money goes, and how long they can. */
const instructions = (email_sent_to: string) => ({
  type: "display_details",
  display_details: {
    email_sent: { email_sent_at: now(), email_sent_to },
    expires_at: now() + 45 * 86_400,
  },
});

export const newRefund = (
  charge: Charge,
  amount: number,
  metadata: Metadata,
  goes: "decline" | "pending" | null,
  email: string | null,
): Refund => ({
  object: "refund",
  id: newIdOf("re"),
  amount,
  created: now(),
  currency: charge.currency,
  charge: charge.id,
  payment_intent: charge.payment_intent,
  metadata,
  status:
    email !== null
      ? "requires_action"
      : goes === "pending"
        ? "pending"
        : goes === "decline"
          ? "failed"
          : "succeeded",
  ...(email === null ? {} : { instructions_email: email, next_action: instructions(email) }),
  ...(goes === "decline" ? { failure_reason: "declined" } : {}),
});

export const newDispute = (charge: Charge): Dispute => ({
  object: "dispute",
  id: newIdOf("dp"),
  amount: charge.amount,
  balance_transactions: [],
  charge: charge.id,
  created: now(),
  currency: charge.currency,
  evidence: {},
  evidence_details: {},
  is_charge_refundable: false,
  livemode: charge.livemode,
  metadata: {},
  reason: "fraudulent",
  status: "needs_response",
  payment_intent: charge.payment_intent,
});

export const newBalance = (
  reporting_category: "charge" | "dispute" | "dispute_reversal",
  amount: number,
  currency: string,
  fee: number,
): Balance => ({
  object: "balance_transaction",
  id: newIdOf("txn"),
  amount,
  available_on: now(),
  created: now(),
  currency,
  fee,
  fee_details: [],
  net: amount - fee,
  reporting_category,
  status: "pending",
  type: reporting_category === "charge" ? "charge" : "adjustment",
});

/** An event as it is sent: its object as it is at this moment. */
export function newEvent(livemode: boolean, type: string, thing: Thing): Sent {
  const id = newIdOf("evt");
  const body = JSON.stringify({
    object: "event",
    id,
    type,
    api_version: "2026-10-28.endive",
    created: now(),
    livemode,
    pending_webhooks: 1,
    request: null,
    data: { object: shown(thing) },
  });
  return { id, type, body };
}
