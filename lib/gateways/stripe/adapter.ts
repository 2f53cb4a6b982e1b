import type Stripe from "stripe";
import { env } from "@/lib/env";
import type {
  BeginAnswer,
  BeginPayment,
  CancelAnswer,
  Charge,
  ChargeAnswer,
  Connection,
  FindAnswer,
  ForgetAnswer,
  Gateway,
  Hint,
  SaveMethod,
} from "../gateway";
import { checkKey, validateKey } from "./account";
import { declineOf, failedBy, paymentAnswer, sessionAnswer, unknown, unknownBy } from "./answers";
import { verifyCallback } from "./callback";
import { registerCallbacks } from "./callback-endpoint";
import { call } from "./client";
import { getSession, intentParts, lookUp } from "./lookup";
import { attemptOfMethod, findMethod } from "./methods";
import { minimums } from "./minimums";
import { refusal, toStripe } from "./money";
import { refundsAndDisputes, findRefund, refund } from "./refunds";
import { listSince } from "./list";
import {
  attemptKey,
  linkKey,
  ownKey,
  PaymentIntent,
  Session,
  subscriptionKey,
  tokenizationKey,
  Deleted,
} from "./shapes";

/** Stripe keeps a page open for at least half an hour. The caller closes it sooner; this closes it if the caller cannot. */
const extraSeconds = 31 * 60;

/** The metadata of a payment: our attempt id, for look-ups, and the business's own reference, for its people. Stripe takes 500 characters. */
const namesOf = ({
  reference,
  ownReference,
  linkId,
  subscriptionId,
  tokenizationId,
}: Pick<BeginPayment, "reference" | "ownReference" | "linkId"> &
  Pick<Charge, "subscriptionId" | "tokenizationId">): Record<string, string> => ({
  [attemptKey]: reference,
  ...(linkId ? { [linkKey]: linkId } : {}),
  ...(subscriptionId ? { [subscriptionKey]: subscriptionId } : {}),
  ...(tokenizationId ? { [tokenizationKey]: tokenizationId } : {}),
  ...(ownReference ? { [ownKey]: ownReference.slice(0, 500).toWellFormed() } : {}),
});

const pageTerms = ({ reference, returnUrl, cancelUrl, expiresAt }: BeginPayment | SaveMethod) => ({
  client_reference_id: reference,
  success_url: returnUrl,
  cancel_url: cancelUrl,
  expires_at: Math.floor(Date.parse(expiresAt) / 1000) + extraSeconds,
});

/**
 * Opens a page with the payer's address filled in. An address that Stripe does not take is left out. When the address has changed since the key was
 * used, the key's page is looked up.
 */
async function openPage(
  connection: Connection,
  { key, reference, payer: { email } }: BeginPayment | SaveMethod,
  parameters: Stripe.Checkout.SessionCreateParams,
): Promise<BeginAnswer> {
  const open = (given: Stripe.Checkout.SessionCreateParams) =>
    call(connection, "opening a page at Stripe", Session, (stripe) =>
      stripe.checkout.sessions.create(given, { idempotencyKey: key }),
    );
  let result = await open({ ...parameters, customer_email: email });
  if (!result.ok && result.trouble.failure?.code === "email_invalid")
    result = await open(parameters);
  if (result.ok)
    return result.value.url
      ? { kind: "redirect", gatewayId: result.value.id, url: result.value.url }
      : unknown("Stripe gave no address for its page.");
  const { kind, reason, failure } = result.trouble;
  if (kind === "silent" || kind === "unauthorized") return unknown(reason);
  if (kind === "misused") return openedBefore(connection, reference, parameters, reason);
  return {
    kind: "refused",
    reason,
    ...(failure?.code === "amount_too_small" ? { tooSmall: true } : {}),
  };
}

/** The page that a key has opened, if it asks for the same money. */
async function openedBefore(
  connection: Connection,
  reference: string,
  { mode, line_items: [item] = [] }: Stripe.Checkout.SessionCreateParams,
  reason: string,
): Promise<BeginAnswer> {
  const looked = await lookUp(connection, reference);
  if (looked.kind !== "found" || !("session" in looked.found)) return unknown(reason);
  const { session } = looked.found;
  const price = item?.price_data;
  const isSame =
    session.mode === mode &&
    (!price || (session.amount_total === price.unit_amount && session.currency === price.currency));
  if (!isSame) return { kind: "refused", reason };
  return session.url
    ? { kind: "redirect", gatewayId: session.id, url: session.url }
    : unknown(reason);
}

async function beginPayment(connection: Connection, payment: BeginPayment): Promise<BeginAnswer> {
  const money = toStripe(payment);
  if (!money) return { kind: "refused", reason: refusal(payment) ?? "Stripe has no such amount." };
  return openPage(connection, payment, {
    mode: "payment",
    ...pageTerms(payment),
    metadata: namesOf(payment),
    // The payer pays what was asked, in the currency it was asked in.
    adaptive_pricing: { enabled: false },
    ...(payment.choice?.method === "card" ? { allowed_payment_method_types: ["card"] } : {}),
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: money.currency,
          unit_amount: money.amount,
          product_data: { name: payment.title },
        },
      },
    ],
    payment_intent_data: {
      capture_method: "automatic",
      description: payment.title,
      metadata: namesOf(payment),
    },
  });
}

const saveMethod = (connection: Connection, request: SaveMethod): Promise<BeginAnswer> =>
  openPage(connection, request, {
    mode: "setup",
    ...pageTerms(request),
    metadata: namesOf(request),
    allowed_payment_method_types: ["card"],
    customer_creation: "always",
    setup_intent_data: { description: request.title, metadata: namesOf(request) },
  });

async function charge(
  connection: Connection,
  { key, title, methodId, payer: _, gatewayId: __, amount, currency, ...names }: Charge,
): Promise<ChargeAnswer> {
  const asked = { amount, currency };
  const money = toStripe(asked);
  const [customer, method] = methodId.split(":");
  if (!money)
    return {
      kind: "failed",
      gatewayId: "",
      decline: "hard",
      reason: refusal(asked) ?? "Stripe has no such amount.",
    };
  if (!customer || !method)
    return {
      kind: "failed",
      gatewayId: "",
      decline: "hard",
      reason: "No such method is saved at Stripe.",
    };
  const result = await call(connection, "charging at Stripe", PaymentIntent, (stripe) =>
    stripe.paymentIntents.create(
      {
        ...money,
        customer,
        payment_method: method,
        confirm: true,
        // A renewal is one of a series that the payer agreed to.
        off_session: names.subscriptionId ? "recurring" : true,
        capture_method: "automatic",
        description: title,
        automatic_payment_methods: { enabled: true, allow_redirects: "never" },
        metadata: namesOf(names),
        expand: intentParts,
      },
      { idempotencyKey: key },
    ),
  );
  if (result.ok) return chargeAnswer(connection, result.value);
  const { kind, failure, reason } = result.trouble;
  if (kind === "declined") return failedBy(failure?.payment_intent?.id ?? "", failure);
  // A refusal may be about the account, which may be in order again soon.
  if (kind === "refused" || kind === "missing")
    return {
      kind: "failed",
      gatewayId: "",
      decline: kind === "missing" ? "hard" : declineOf(failure),
      reason,
    };
  return unknown(reason);
}

/** A charge has no payer who could complete it, so one that waits is cancelled at Stripe before it counts as failed. */
async function chargeAnswer(connection: Connection, intent: PaymentIntent): Promise<ChargeAnswer> {
  const answer = paymentAnswer(intent);
  if (answer.kind === "cancelled")
    return {
      kind: "failed",
      gatewayId: intent.id,
      decline: "needs_payer",
      reason: "The payer's bank asked for the payer.",
    };
  if (answer.kind !== "waits") return answer;
  const result = await call(connection, "ending a charge at Stripe", PaymentIntent, (stripe) =>
    stripe.paymentIntents.cancel(intent.id, {
      cancellation_reason: "abandoned",
      expand: intentParts,
    }),
  );
  if (!result.ok || result.value.status !== "canceled")
    return unknown("Stripe waits for the payer, and the charge could not be ended.");
  return {
    kind: "failed",
    gatewayId: intent.id,
    decline: "needs_payer",
    reason: "The payer's bank asked for the payer.",
  };
}

async function find(connection: Connection, reference: string, hint?: Hint): Promise<FindAnswer> {
  const looked = await lookUp(connection, reference, hint);
  if (looked.kind === "unsure") return unknown(looked.reason);
  if (looked.kind === "nothing") return { kind: "nothing" };
  return "session" in looked.found
    ? sessionAnswer(looked.found.session)
    : chargeAnswer(connection, looked.found.intent);
}

/** A deleted customer has no methods any more, and Stripe keeps the payments. */
async function forgetCustomer(connection: Connection, methodId: string): Promise<ForgetAnswer> {
  const [customer = ""] = methodId.split(":");
  const result = await call(connection, "deleting a customer at Stripe", Deleted, (stripe) =>
    stripe.customers.del(customer),
  );
  if (result.ok || result.trouble.kind === "missing") return { kind: "forgotten" };
  const { kind, reason } = result.trouble;
  return kind === "refused" || kind === "unauthorized"
    ? { kind: "refused", reason }
    : unknown(reason);
}

async function cancel(
  connection: Connection,
  reference: string,
  hint?: Hint,
): Promise<CancelAnswer> {
  const looked = await lookUp(connection, reference, hint);
  if (looked.kind === "unsure") return unknown(looked.reason);
  if (looked.kind === "nothing") return unknown("There is no such attempt.");
  if (!("session" in looked.found)) return { kind: "too_late" };
  const { id, status } = looked.found.session;
  if (status === "expired") return { kind: "cancelled" };
  if (status === "complete") return { kind: "too_late" };
  const result = await call(connection, "closing a page at Stripe", Session, (stripe) =>
    stripe.checkout.sessions.expire(id),
  );
  if (result.ok)
    return result.value.status === "expired"
      ? { kind: "cancelled" }
      : unknown("Stripe did not close its page.");
  if (result.trouble.kind !== "refused") return unknownBy(result.trouble);
  // The payer or another process was faster.
  const again = await getSession(connection, id);
  if (!again.ok) return unknownBy(again.trouble);
  if (again.value.status === "expired") return { kind: "cancelled" };
  return again.value.status === "complete" ? { kind: "too_late" } : unknown(result.trouble.reason);
}

/** Stripe: the payer's card is entered on Stripe's own page and never passes through here. */
export const stripeGateway: Gateway = {
  name: "stripe",
  title: "Stripe",
  builtIn: false,
  accountField: null,
  get origins() {
    return env.STRIPE_API_URL === undefined
      ? ["https://checkout.stripe.com"]
      : [env.STRIPE_API_URL];
  },
  // 10 a second. Stripe allows 25 requests a second in test mode and 100 in live mode.
  lookUpsPerMinute: 600,
  limitsByAddress: false,
  savesMethods: true,
  chargeIsIdempotent: true,
  refundIsIdempotent: true,
  provesAbsence: true,
  prepare: null,
  registerCallbacks,
  findMethod,
  attemptOfMethod,
  minimums,
  validateKey,
  validateCallbackSecret: (secret) =>
    /^whsec_[A-Za-z0-9+/=_-]{8,}$/.test(secret) ? null : "The webhook secret format is invalid.",
  checkKey,
  // Its page has more ways to pay, as set up at Stripe; they are shown where no other gateway is connected.
  offers: async () => ({ kind: "offers", methods: [{ method: "card", options: [] }] }),
  beginPayment,
  saveMethod,
  charge,
  find,
  listSince,
  forgetCustomer,
  cancel,
  refundSupport: async () => ({ kind: "supported" }),
  refund,
  findRefund,
  refundsAndDisputes,
  callbackReply: "",
  verifyCallback,
  validateAmount: refusal,
  settleNow: async () => {},
};
