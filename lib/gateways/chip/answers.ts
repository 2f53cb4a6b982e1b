import type { Connection, DeclineKind, FindAnswer, Money, SavedMethod } from "../gateway";
import { unknown } from "./client";
import { type Attempt, type Purchase, readCard } from "./shapes";

// Maps CHIP's statuses to Kutip's. A status without a mapping is unknown.

/** What a purchase was made for. CHIP keeps which addresses a payer returns to: a charge has none. */
export function purposeOf({ skip_capture, success_redirect, purchase }: Purchase) {
  if (skip_capture && purchase.total === 0) return "saving";
  return success_redirect ? "page" : "charge";
}

/** Codes after which the same card is never to be tried again, by CHIP's list of errors. */
const hard = new Set([
  "invalid_card_number",
  "invalid_expires",
  "invalid_card_data",
  "invalid_issuer_number",
  "expired_card",
  "lost_card",
  "stolen_card",
  "restricted_card",
  "blacklisted_tx",
  "blacklisted_tx_issuing_country",
  "security_violation",
  "suspected_fraud",
  "antifraud_general",
  "transaction_not_supported_or_not_valid_for_card",
  "transaction_not_permitted_on_terminal",
  "transaction_not_permitted_to_cardholder",
  "recurring_token_expired",
]);
const needsPayer = new Set(["3ds_authentication_failed", "authorization_failed"]);

/** What an error code means for the card it happened to. */
export function declineOf(code: string): DeclineKind {
  if (needsPayer.has(code)) return "needs_payer";
  return hard.has(code) ? "hard" : "soft";
}

const takesMoney = new Set(["execute", "recurring_execute"]);

/** The newest try to take money; undefined before the first. */
export const lastTry = ({ transaction_data }: Purchase): Attempt | undefined =>
  transaction_data?.attempts?.find(({ type }) => takesMoney.has(type));

const reasonOf = (tried: Attempt | undefined): string =>
  tried?.error?.message?.slice(0, 300) || "The payment was declined.";

/** The decline of a purchase that is closed, so that no other try can take its money. */
export function declined(gatewayId: string, tried: Attempt) {
  return {
    kind: "failed" as const,
    gatewayId,
    decline: declineOf(tried.error?.code ?? ""),
    reason: reasonOf(tried),
  };
}

const onPage = new Set(["execute", "authorize"]);

/** A purchase that can be paid. A page on which a try failed stays open for another one. */
function open(purchase: Purchase): FindAnswer {
  const { id: gatewayId, status, checkout_url: url, transaction_data } = purchase;
  if (purposeOf(purchase) === "charge") return { kind: "prepared", gatewayId };
  if (!url) return unknown("CHIP gave no address for its page.");
  if (status !== "error" && status !== "blocked") return { kind: "open", gatewayId, url };
  const tried = transaction_data?.attempts?.find(({ type }) => onPage.has(type));
  return { kind: "open", gatewayId, url, declined: reasonOf(tried) };
}

const cards = new Set(["visa", "mastercard", "maestro"]);

function paidWith({ transaction_data }: Purchase): { paidWith?: string } {
  const method = transaction_data?.payment_method;
  if (!method) return {};
  return { paidWith: cards.has(method) ? "card" : method };
}

/** The money that CHIP says it took; null while it took none. Never what was asked for. */
export const takenOf = ({ payment }: Purchase): Money | null =>
  payment ? { amount: payment.amount, currency: payment.currency } : null;

/** Null while it is not known: CHIP may name no fee yet, and hold its part back as pending. */
const feeOf = ({ payment }: Purchase): number | null =>
  payment?.fee_amount === 0 && (payment.pending_amount ?? 0) > 0
    ? null
    : (payment?.fee_amount ?? null);

function succeeded(purchase: Purchase): FindAnswer {
  // Staff marked it there: no money went through CHIP, and none will. They record the payment by hand.
  if (purchase.marked_as_paid) return { kind: "cancelled", gatewayId: purchase.id };
  const taken = takenOf(purchase);
  if (!taken) return unknown("CHIP says that this is paid, and not how much was taken.");
  return {
    kind: "succeeded",
    gatewayId: purchase.id,
    ...taken,
    fee: feeOf(purchase),
    ...paidWith(purchase),
  };
}

function saved(purchase: Purchase): FindAnswer {
  const method = methodOf(purchase);
  return method
    ? { kind: "saved", gatewayId: purchase.id, method }
    : unknown("CHIP checked a card and did not say which it saved.");
}

function methodOf({ id, is_recurring_token, transaction_data }: Purchase): SavedMethod | null {
  const card = readCard(transaction_data?.extra);
  if (!is_recurring_token || !card.success) return null;
  const { masked_pan, expiry_month, expiry_year } = card.data;
  const year = expiry_year < 100 ? 2_000 + expiry_year : expiry_year;
  return {
    id,
    card: {
      brand: transaction_data?.payment_method || "card",
      last4: masked_pan.slice(-4),
      exp: `${String(expiry_month).padStart(2, "0")}/${year}`,
    },
  };
}

/** What became of a purchase. A charge that was declined is still open at CHIP: its caller closes it first. */
export function purchaseAnswer(purchase: Purchase): FindAnswer {
  const { id: gatewayId, status } = purchase;
  switch (status) {
    case "created":
    case "sent":
    case "viewed":
    case "overdue":
    case "error":
    case "blocked":
      return open(purchase);
    case "pending_execute":
    case "pending_charge":
    case "pending_capture":
      return { kind: "pending", gatewayId };
    case "hold":
    case "pending_release":
      return unknown("CHIP holds the amount without having taken it.");
    case "preauthorized":
      return saved(purchase);
    case "paid":
    case "cleared":
    case "settled":
    case "pending_refund":
    case "refunded":
    case "chargeback":
      return succeeded(purchase);
    case "cancelled":
    case "expired":
    case "released": {
      const tried = purposeOf(purchase) === "charge" ? lastTry(purchase) : undefined;
      return tried && !tried.successful
        ? declined(gatewayId, tried)
        : { kind: "cancelled", gatewayId };
    }
  }
}

/** Why a purchase is not one of this connection, as a sentence; null when it is. */
export function strangeness(
  { mode, account }: Pick<Connection, "mode" | "account">,
  { is_test, brand_id }: Purchase,
): string | null {
  if (is_test !== (mode === "test"))
    return `The secret key is one of ${is_test ? "test" : "live"} mode, and this connection is of ${mode} mode.`;
  return account && brand_id.toLowerCase() !== account.toLowerCase()
    ? "CHIP speaks of another brand."
    : null;
}
