import { randomBytes } from "node:crypto";

// Stripe's objects as the peer keeps them: the fields its document requires, those we read, and no more.

export const now = () => Math.floor(Date.now() / 1000);
export const newIdOf = (prefix: string) => `${prefix}_${randomBytes(12).toString("hex")}`;

export type Behaviour = "works" | "soft" | "hard" | "needs_payer" | "action" | "pending";
export type Metadata = Record<string, string>;
export type Failing = { code: string; decline_code?: string; message: string };

export type Method = {
  object: "payment_method";
  id: string;
  created: number;
  livemode: boolean;
  type: "card";
  billing_details: object;
  customer: string | null;
  behaviour: Behaviour;
  card: { brand: string; last4: string; exp_month: number; exp_year: number; funding: string };
};
export type Endpoint = {
  object: "webhook_endpoint";
  id: string;
  created: number;
  api_version: string;
  enabled_events: string[];
  livemode: boolean;
  metadata: Metadata;
  status: "enabled";
  url: string;
  secret?: string;
};
export type Balance = {
  object: "balance_transaction";
  id: string;
  amount: number;
  available_on: number;
  created: number;
  currency: string;
  fee: number;
  fee_details: never[];
  net: number;
  reporting_category: string;
  status: "pending";
  type: "charge" | "adjustment";
};
export type Charge = {
  object: "charge";
  id: string;
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  billing_details: object;
  captured: boolean;
  created: number;
  currency: string;
  disputed: boolean;
  livemode: boolean;
  metadata: Metadata;
  paid: boolean;
  refunded: boolean;
  status: "succeeded" | "pending" | "failed";
  payment_intent: string;
  balance_transaction: Balance | null;
  payment_method_details: { type: string };
};
export type Intent = {
  object: "payment_intent";
  id: string;
  amount: number;
  amount_received: number;
  capture_method: "automatic";
  confirmation_method: "automatic";
  created: number;
  currency: string;
  livemode: boolean;
  metadata: Metadata;
  payment_method_types: string[];
  status: "requires_payment_method" | "requires_action" | "processing" | "canceled" | "succeeded";
  last_payment_error: (Failing & { type: "card_error" }) | null;
  latest_charge: Charge | null;
  customer: string | null;
  description: string | null;
  attempts: Charge[];
  offSession: string;
};
export type Setup = {
  object: "setup_intent";
  id: string;
  created: number;
  livemode: boolean;
  payment_method_types: string[];
  status: "requires_payment_method" | "succeeded";
  usage: "off_session";
  payment_method: Method | null;
  metadata: Metadata;
};
export type Session = {
  object: "checkout.session";
  id: string;
  automatic_tax: { enabled: boolean };
  created: number;
  custom_fields: never[];
  custom_text: object;
  expires_at: number;
  livemode: boolean;
  mode: "payment" | "setup";
  payment_method_types: string[];
  payment_status: "paid" | "unpaid" | "no_payment_required";
  shipping_options: never[];
  success_url: string;
  cancel_url: string;
  status: "open" | "complete" | "expired";
  client_reference_id: string | null;
  metadata: Metadata;
  url: string | null;
  amount_total: number | null;
  currency: string | null;
  customer: string | null;
  customer_email: string | null;
  payment_intent: Intent | null;
  setup_intent: Setup | null;
  title: string;
  intentMetadata: Metadata;
  declined: string | null;
};
export type Refund = {
  object: "refund";
  id: string;
  amount: number;
  created: number;
  currency: string;
  charge: string;
  payment_intent: string;
  metadata: Metadata;
  status: "pending" | "requires_action" | "succeeded" | "failed";
  instructions_email?: string;
  next_action?: object;
  failure_reason?: string;
  failure_balance_transaction?: string;
};
export type Dispute = {
  object: "dispute";
  id: string;
  amount: number;
  balance_transactions: Balance[];
  charge: string;
  created: number;
  currency: string;
  evidence: object;
  evidence_details: object;
  is_charge_refundable: boolean;
  livemode: boolean;
  metadata: Metadata;
  reason: string;
  status: "needs_response" | "won" | "lost";
  payment_intent: string;
};
export type Thing = Method | Charge | Intent | Setup | Session | Refund | Dispute;

/** What stays inside: how a card behaves, what a page is about. */
const hidden = new Set([
  "behaviour",
  "attempts",
  "title",
  "intentMetadata",
  "declined",
  "offSession",
]);
const expandable: Record<string, string[]> = {
  payment_intent: ["latest_charge"],
  charge: ["balance_transaction"],
  "checkout.session": ["payment_intent", "setup_intent"],
  setup_intent: ["payment_method"],
};

/** An object as it is answered: what is linked is an id, unless its path is in `expand`. */
export function shown(thing: object, expand: readonly string[] = []): Record<string, unknown> {
  const links = expandable[(thing as Thing).object] ?? [];
  return Object.fromEntries(
    Object.entries(thing).flatMap(([name, value]): Array<[string, unknown]> => {
      if (hidden.has(name)) return [];
      if (!links.includes(name) || typeof value !== "object" || value === null)
        return [[name, value]];
      const inner = expand.filter((path) => path === name || path.startsWith(`${name}.`));
      return [
        [
          name,
          inner.length > 0
            ? shown(
                value,
                inner.map((path) => path.slice(name.length + 1)),
              )
            : (value as { id: string }).id,
        ],
      ];
    }),
  );
}

export const failing: Partial<Record<Behaviour | "decline" | "decline_hard", Failing>> = {
  soft: {
    code: "card_declined",
    decline_code: "insufficient_funds",
    message: "Your card has insufficient funds.",
  },
  hard: { code: "card_declined", decline_code: "stolen_card", message: "Your card was declined." },
  needs_payer: {
    code: "authentication_required",
    decline_code: "authentication_required",
    message: "Your card was declined. This transaction requires authentication.",
  },
  decline: {
    code: "card_declined",
    decline_code: "generic_decline",
    message: "Your card was declined.",
  },
  decline_hard: {
    code: "card_declined",
    decline_code: "lost_card",
    message: "Your card was declined.",
  },
};

export type Outcome =
  | "approve"
  | "decline"
  | "decline_hard"
  | "approve_later"
  | "voucher"
  | "lose_answer";

/** How the money comes after a page is complete: from a bank, or once the payer has paid a voucher. */
export const later: Partial<Record<Outcome, Behaviour>> = {
  approve_later: "pending",
  voucher: "action",
};
export const unpaid: readonly Intent["status"][] = ["processing", "requires_action"];

/** The smallest charges, in Stripe's units, of currencies where they matter; the peer takes any amount of the others. */
export const smallest: Record<string, number> = { thb: 1_000, mxn: 1_000, czk: 1_500, huf: 17_500 };

/** The fee that Stripe keeps for a dispute, won or lost. */
export const disputeFee = 1_500;

/** Stripe's cut: 2.9 % and 30 of the smallest unit. */
export const feeOf = (amount: number) => Math.round(amount * 0.029) + 30;
