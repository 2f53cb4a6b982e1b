import type {
  Card,
  ChargeAnswer,
  DeclineKind,
  FindAnswer,
  RefundAnswer,
  Unknown,
} from "../gateway";
import type { Trouble } from "./client";
import { fromStripe } from "./money";
import type { Decline, PaymentIntent, PaymentMethod, Refund, Session } from "./shapes";

// Maps Stripe's statuses to Kutip's. A status without a mapping is unknown.

export const unknown = (reason: string): Unknown => ({ kind: "unknown", reason });

/** Codes after which the same charge is never to be tried again with this method, by Stripe's lists of declines and errors. */
const hard = new Set([
  "incorrect_number",
  "invalid_number",
  "lost_card",
  "stolen_card",
  "pickup_card",
  "expired_card",
  "expired_payment_method",
  "invalid_account",
  "account_closed",
  "no_account",
  "revocation_of_authorization",
  "revocation_of_all_authorizations",
  "stop_payment_order",
  "transaction_not_allowed",
  "card_not_supported",
  "currency_not_supported",
  "highest_risk_level",
  "fraudulent",
  "restricted_card",
  "merchant_blacklist",
  "invalid_expiry_month",
  "invalid_expiry_year",
  "security_violation",
  "testmode_decline_forever",
  "debit_not_authorized",
  "payment_intent_mandate_invalid",
  "india_recurring_payment_mandate_canceled",
  "bank_account_restricted",
  "bank_account_unusable",
  "payment_method_unactivated",
  "resource_missing",
  "payment_method_currency_mismatch",
  "payment_method_unexpected_state",
  "amount_too_large",
  "amount_too_small",
]);
const needsPayer = new Set([
  "authentication_required",
  "authentication_not_handled",
  "payment_intent_authentication_failure",
  "payment_intent_action_required",
  "setup_intent_authentication_failure",
  "approve_with_id",
  "issuer_requires_authentication",
  "offline_pin_required",
  "online_or_offline_pin_required",
]);

/** What a decline means for the method it happened to. */
export function declineOf(error: Decline | null | undefined): DeclineKind {
  const codes = [error?.code, error?.decline_code].flatMap((code) => (code ? [code] : []));
  if (codes.some((code) => needsPayer.has(code))) return "needs_payer";
  if (error?.advice_code === "do_not_try_again" || codes.some((code) => hard.has(code)))
    return "hard";
  return "soft";
}

const reasonOf = (error: Decline | null | undefined) =>
  error?.message?.slice(0, 300) || "The payment was declined.";

export const failedBy = (gatewayId: string, error: Decline | null | undefined): ChargeAnswer => ({
  kind: "failed",
  gatewayId,
  decline: declineOf(error),
  reason: reasonOf(error),
});

/** The outcome of a PaymentIntent. `waits`: for its payer; a charge without a payer must cancel it. */
export function paymentAnswer(
  intent: PaymentIntent,
): ChargeAnswer | { kind: "cancelled"; gatewayId: string } | { kind: "waits"; gatewayId: string } {
  const gatewayId = intent.id;
  switch (intent.status) {
    case "succeeded":
      return succeeded(intent);
    case "processing":
      return { kind: "pending", gatewayId };
    case "canceled":
      return intent.last_payment_error
        ? failedBy(gatewayId, intent.last_payment_error)
        : { kind: "cancelled", gatewayId };
    case "requires_payment_method":
      return intent.last_payment_error
        ? failedBy(gatewayId, intent.last_payment_error)
        : { kind: "waits", gatewayId };
    case "requires_action":
    case "requires_confirmation":
      return { kind: "waits", gatewayId };
    case "requires_capture":
      return unknown("Stripe holds the amount without having taken it.");
  }
}

function succeeded(intent: PaymentIntent): ChargeAnswer {
  const money = fromStripe(intent.amount_received, intent.currency);
  if (!money) return unknown("Stripe speaks of an amount that does not exist.");
  const charge = typeof intent.latest_charge === "object" ? intent.latest_charge : null;
  const booked =
    typeof charge?.balance_transaction === "object" ? charge.balance_transaction : null;
  const fee = booked && fromStripe(booked.fee, booked.currency);
  return {
    kind: "succeeded",
    gatewayId: intent.id,
    ...money,
    fee: fee ? fee.amount : null,
    ...(charge?.payment_method_details ? { paidWith: charge.payment_method_details.type } : {}),
    ...(fee && fee.currency !== money.currency ? { feeCurrency: fee.currency } : {}),
  };
}

/** The outcome of a hosted page. A declined payer may try again on it, so it is open until it is complete or has expired. */
export function sessionAnswer(session: Session): FindAnswer {
  const gatewayId = session.id;
  if (session.status === "open") {
    const { payment_intent: intent, url } = session;
    const failure = typeof intent === "object" ? intent?.last_payment_error : null;
    if (!url) return unknown("Stripe gave no address for its page.");
    return { kind: "open", gatewayId, url, ...(failure ? { declined: reasonOf(failure) } : {}) };
  }
  if (session.status === "expired") return { kind: "cancelled", gatewayId };
  if (session.status !== "complete") return unknown("Stripe gave no known status for its page.");
  if (session.mode === "setup") return savedAnswer(session);
  if (
    session.mode !== "payment" ||
    typeof session.payment_intent !== "object" ||
    session.payment_intent === null
  )
    return unknown("Stripe did not say what became of the payment.");
  const answer = paymentAnswer(session.payment_intent);
  return answer.kind === "waits" ? { kind: "pending", gatewayId } : answer;
}

function savedAnswer(session: Session): FindAnswer {
  const intent = typeof session.setup_intent === "object" ? session.setup_intent : null;
  const customer = typeof session.customer === "object" ? session.customer?.id : session.customer;
  if (!intent) return unknown("Stripe does not say what was saved.");
  if (intent.status === "processing") return { kind: "pending", gatewayId: session.id };
  if (intent.status === "requires_payment_method")
    return { ...failedBy(session.id, intent.last_setup_error) };
  if (intent.status === "canceled") return { kind: "cancelled", gatewayId: session.id };
  const method = typeof intent.payment_method === "object" ? intent.payment_method : null;
  const card = method && cardOf(method);
  if (intent.status !== "succeeded" || !customer || !card)
    return unknown("Stripe does not say what was saved.");
  return {
    kind: "saved",
    gatewayId: session.id,
    method: { id: `${customer}:${method.id}`, card },
  };
}

/** The card of a method; null for a method that is none. */
export function cardOf({ card }: PaymentMethod): Card | null {
  if (!card) return null;
  const { brand, last4, exp_month, exp_year } = card;
  return { brand, last4, exp: `${String(exp_month).padStart(2, "0")}/${exp_year}` };
}

export function refundAnswer(refund: Refund): RefundAnswer {
  if (refund.status === "failed" || refund.status === "canceled")
    return {
      kind: "failed",
      reason: `Stripe could not give the money back (${refund.failure_reason ?? refund.status}).`,
    };
  if (refund.status === "requires_action")
    return { kind: "pending", refundId: refund.id, awaits: instructionsOf(refund) };
  if (refund.status !== "succeeded") return { kind: "pending", refundId: refund.id };
  const money = fromStripe(refund.amount, refund.currency);
  return money
    ? { kind: "succeeded", refundId: refund.id, ...money }
    : unknown("Stripe speaks of an amount that does not exist.");
}

/** The payer says where the money goes. Stripe has asked them by mail, unless it had no address. */
function instructionsOf({ next_action: next }: Refund): string {
  const details = next?.display_details;
  if (!details?.email_sent)
    return "Waiting for the payer to tell Stripe where to send the money. Stripe has sent no instructions: look at the refund in Stripe.";
  const [sent, until] = [details.email_sent.email_sent_at, details.expires_at].map((seconds) =>
    new Date(seconds * 1_000).toISOString().slice(0, 10),
  );
  return `Stripe sent the payer instructions by e-mail on ${sent}. The payer has until ${until} to say where the money goes.`;
}

export const unknownBy = ({ reason }: Trouble): Unknown => unknown(reason);
