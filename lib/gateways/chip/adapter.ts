import { env } from "@/lib/env";
import type {
  BeginAnswer,
  BeginPayment,
  CancelAnswer,
  Charge,
  Connection,
  DeclineKind,
  FindAnswer,
  ForgetAnswer,
  Gateway,
  Hint,
  Money,
  Payer,
  PrepareAnswer,
  SaveMethod,
} from "../gateway";
import { checkKey, validateKey } from "./account";
import { lastTry, purchaseAnswer, strangeness } from "./answers";
import { verifyCallback } from "./callback";
import { charge, closeDeclined } from "./charge";
import { call, type ChipResult, origin, unknown } from "./client";
import { addressFor, offers, whitelistOf } from "./methods";
import { phoneOf } from "./phone";
import { cancelPurchase, getPurchase, lookUp } from "./purchases";
import { findRefund, refund, refundsAndDisputes, refundSupport } from "./refunds";
import { Id, Purchase } from "./shapes";

/** CHIP's list of payment methods is asked in no other currency. */
const CURRENCY = "MYR";

const validateAmount = ({ currency }: Money): string | null =>
  currency === CURRENCY ? null : `The amount must be in ${CURRENCY}: CHIP takes no other currency.`;

const MAX_NAME = 256;
const MAX_REFERENCE_NOTE = 1_000;

type Asked = Pick<BeginPayment, "reference" | "payer" | "title" | "ownReference"> & Money;

function clientOf({ email, phone }: Payer): { email: string; phone?: string } {
  const written = phoneOf(phone);
  return written === null ? { email } : { email, phone: written };
}

/** The parts of a purchase that every kind has. */
const bodyOf = (
  { id, account }: Connection,
  { reference, payer, title, ownReference, amount, currency }: Asked,
) => ({
  brand_id: account ?? "",
  reference,
  creator_agent: "Kutip",
  platform: "api",
  send_receipt: false,
  client: clientOf(payer),
  success_callback: `${env.BASE_URL}/api/gateways/chip/callback/${id}`,
  purchase: {
    currency,
    products: [{ name: title.slice(0, MAX_NAME).toWellFormed(), price: amount }],
    ...(ownReference ? { notes: ownReference.slice(0, MAX_REFERENCE_NOTE).toWellFormed() } : {}),
  },
});

const pageTerms = ({ returnUrl, cancelUrl, expiresAt }: BeginPayment | SaveMethod) => ({
  success_redirect: returnUrl,
  failure_redirect: returnUrl,
  cancel_redirect: cancelUrl,
  due: Math.floor(Date.parse(expiresAt) / 1_000),
});

const create = (connection: Connection, body: object): Promise<ChipResult<Purchase>> =>
  call(
    connection,
    "making a purchase at CHIP",
    { method: "POST", path: "/purchases/", body },
    Purchase,
  );

/** What CHIP made instead of what was asked for, as a sentence; null when it made that. */
function otherThan(connection: Connection, asked: Asked, made: Purchase): string | null {
  const { total, currency } = made.purchase;
  if (total !== asked.amount || currency !== asked.currency)
    return `CHIP asks for ${currency} ${total} minor units instead of ${asked.currency} ${asked.amount}.`;
  if (made.reference !== asked.reference) return "CHIP kept another reference.";
  return strangeness(connection, made);
}

async function opened(
  connection: Connection,
  asked: Asked,
  result: ChipResult<Purchase>,
): Promise<BeginAnswer> {
  if (!result.ok) {
    const { kind, reason } = result.trouble;
    return kind === "refused" || kind === "missing" ? { kind: "refused", reason } : unknown(reason);
  }
  const { id, checkout_url: url } = result.value;
  const reason = otherThan(connection, asked, result.value);
  if (reason !== null) {
    // No payer has its address, but it is not left open.
    await cancelPurchase(connection, id);
    return { kind: "refused", reason };
  }
  return url
    ? { kind: "redirect", gatewayId: id, url }
    : unknown("CHIP gave no address for its page.");
}

async function beginPayment(connection: Connection, payment: BeginPayment): Promise<BeginAnswer> {
  const reason = validateAmount(payment);
  if (reason !== null) return { kind: "refused", reason };
  const { choice = null } = payment;
  const whitelist = choice && (await whitelistOf(connection, choice));
  const { purchase, ...body } = bodyOf(connection, payment);
  const made = await create(connection, {
    ...body,
    ...pageTerms(payment),
    ...(whitelist ? { payment_method_whitelist: whitelist } : {}),
    purchase: { ...purchase, due_strict: true },
  });
  const answer = await opened(connection, payment, made);
  return answer.kind === "redirect"
    ? { ...answer, url: addressFor(answer.url, choice, whitelist, connection.mode === "test") }
    : answer;
}

/** A check of a card without money, which saves it. */
async function saveMethod(connection: Connection, request: SaveMethod): Promise<BeginAnswer> {
  const asked = { ...request, amount: 0, currency: CURRENCY };
  const { purchase, ...body } = bodyOf(connection, asked);
  const made = await create(connection, {
    ...body,
    ...pageTerms(request),
    skip_capture: true,
    purchase: { ...purchase, due_strict: true },
  });
  return opened(connection, asked, made);
}

/** A purchase that only `charge` pays: no payer gets the address of its page. It names no card, so that no refusal is about one. */
async function prepare(connection: Connection, asked: Charge): Promise<PrepareAnswer> {
  const refusal = validateAmount(asked);
  const failed = (reason: string, decline: DeclineKind = "soft"): PrepareAnswer => ({
    kind: "failed",
    gatewayId: "",
    decline,
    reason,
  });
  if (refusal !== null) return failed(refusal, "hard");
  const made = await create(connection, bodyOf(connection, asked));
  if (!made.ok) {
    const { kind, reason } = made.trouble;
    return kind === "refused" || kind === "missing" ? failed(reason) : unknown(reason);
  }
  const reason = otherThan(connection, asked, made.value);
  if (reason === null) return { kind: "prepared", gatewayId: made.value.id };
  await cancelPurchase(connection, made.value.id);
  return failed(reason);
}

async function find(connection: Connection, reference: string, hint?: Hint): Promise<FindAnswer> {
  const looked = await lookUp(connection, reference, hint);
  if (looked.kind === "unsure") return unknown(looked.reason);
  if (looked.kind === "nothing") return { kind: "nothing" };
  const answer = purchaseAnswer(looked.value);
  return answer.kind === "prepared" && lastTry(looked.value)?.successful === false
    ? closeDeclined(connection, looked.value)
    : answer;
}

async function cancel(
  connection: Connection,
  reference: string,
  hint?: Hint,
): Promise<CancelAnswer> {
  const looked = await lookUp(connection, reference, hint);
  if (looked.kind === "unsure") return unknown(looked.reason);
  if (looked.kind === "nothing") return unknown("CHIP shows no such attempt.");
  const before = cancelled(looked.value);
  if (before) return before;
  const result = await cancelPurchase(connection, looked.value.id);
  const after = result.ok ? result : await getPurchase(connection, looked.value.id);
  if (!after.ok) return unknown(after.trouble.reason);
  return cancelled(after.value) ?? unknown("CHIP did not close its page.");
}

/** Undefined while a purchase can still be paid. */
function cancelled(purchase: Purchase): CancelAnswer | undefined {
  switch (purchaseAnswer(purchase).kind) {
    case "open":
    case "prepared":
      return undefined;
    case "cancelled":
      return { kind: "cancelled" };
    default:
      return { kind: "too_late" };
  }
}

/** Kutip makes no customers at CHIP; the card is deleted. */
async function forgetCustomer(connection: Connection, methodId: string): Promise<ForgetAnswer> {
  if (!Id.safeParse(methodId).success) return { kind: "forgotten" };
  const result = await call(
    connection,
    "deleting a card at CHIP",
    { method: "POST", path: `/purchases/${methodId}/delete_recurring_token/` },
    Purchase,
  );
  if (result.ok)
    return result.value.is_recurring_token
      ? unknown("CHIP has not deleted the card yet.")
      : { kind: "forgotten" };
  const { kind, reason } = result.trouble;
  if (kind === "missing") return { kind: "forgotten" };
  return kind === "silent" ? unknown(reason) : { kind: "refused", reason };
}

/** CHIP Collect: FPX, DuitNow QR, cards and wallets in Malaysia, on CHIP's own page. */
export const chipGateway: Gateway = {
  name: "chip",
  title: "CHIP",
  builtIn: false,
  accountField: "brand_id",
  get origins() {
    return [origin()];
  },
  // CHIP states no limit: 5 a second.
  lookUpsPerMinute: 300,
  limitsByAddress: false,
  savesMethods: true,
  chargeIsIdempotent: false,
  refundIsIdempotent: false,
  provesAbsence: false,
  prepare,
  minimums: {},
  registerCallbacks: null,
  findMethod: null,
  attemptOfMethod: null,
  validateKey,
  validateCallbackSecret: null,
  checkKey,
  offers,
  beginPayment,
  saveMethod,
  charge,
  find,
  listSince: null,
  forgetCustomer,
  cancel,
  refundSupport,
  refund,
  findRefund,
  refundsAndDisputes,
  callbackReply: "",
  verifyCallback,
  validateAmount,
  settleNow: async () => {},
};
