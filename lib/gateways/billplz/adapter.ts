import { env } from "@/lib/env";
import type {
  BeginAnswer,
  BeginPayment,
  CancelAnswer,
  CheckedKey,
  Connection,
  FindAnswer,
  Gateway,
  Hint,
  Money,
} from "../gateway";
import { deleteBill, getBill, lookUp, strangeness, transactionOf, triesOf } from "./bills";
import { verifyCallback } from "./callback";
import { call, originOf, unknown } from "./client";
import { bankOf, offers } from "./methods";
import { Bill, Collection, Id } from "./shapes";

const CURRENCY = "MYR";
const MAX_DESCRIPTION = 200;
const MAX_NAME = 255;
const MAX_REFERENCE = 120;

const validateAmount = ({ currency }: Money): string | null =>
  currency === CURRENCY
    ? null
    : `The amount must be in ${CURRENCY}: Billplz takes no other currency.`;

/** The form of Billplz's keys is not documented; a key of the other mode is unknown at the host of this one. */
const validateKey = (secret: string): string | null =>
  /^[\x21-\x7e]{16,}$/.test(secret) && !/^(sk|rk|pk)_(test|live)_/.test(secret)
    ? null
    : "The secret key format is invalid.";

/** Asks Billplz for the collection that payments go to, with the key. */
async function checkKey(
  connection: Pick<Connection, "id" | "secret" | "mode" | "account">,
): Promise<CheckedKey> {
  const { account: collection, mode } = connection;
  if (!collection || !Id.safeParse(collection).success)
    return { kind: "refused", field: "account", reason: "The collection id is required." };
  const result = await call(
    connection,
    "checking a key with Billplz",
    { method: "GET", path: `/v3/collections/${collection}` },
    Collection,
  );
  if (result.ok) {
    const { id, title, status } = result.value;
    if (id === collection && status !== "inactive")
      return { kind: "accepted", account: id, name: title.slice(0, 100) || null };
    return {
      kind: "refused",
      field: "account",
      reason: "The collection is not active at Billplz.",
    };
  }
  const { kind, reason } = result.trouble;
  if (kind === "silent") return unknown(reason);
  return kind === "unauthorized"
    ? { kind: "refused", reason: `Billplz does not accept this key in ${mode} mode.` }
    : { kind: "refused", field: "account", reason: "Billplz has no such collection of this key." };
}

const cut = (text: string, length: number): string => text.slice(0, length).toWellFormed();

function billOf({ id, account }: Connection, payment: BeginPayment): Record<string, string> {
  const { payer, title, amount, reference, ownReference, returnUrl, choice } = payment;
  const bank = bankOf(choice);
  const own: Record<string, string> = ownReference
    ? { reference_1_label: "Reference", reference_1: cut(ownReference, MAX_REFERENCE) }
    : {};
  return {
    collection_id: account ?? "",
    email: payer.email,
    // Billplz asks for a name, and Kutip knows none.
    name: cut(payer.name ?? payer.email.split("@")[0] ?? payer.email, MAX_NAME),
    amount: String(amount),
    description: cut(title, MAX_DESCRIPTION),
    callback_url: `${env.BASE_URL}/api/gateways/billplz/callback/${id}`,
    redirect_url: returnUrl,
    deliver: "false",
    ...(bank === null ? own : { reference_1_label: "Bank Code", reference_1: bank }),
    reference_2_label: "Attempt",
    reference_2: reference,
  };
}

/** What Billplz made instead of what was asked for, as a sentence; null when it made that. */
const otherThan = (connection: Connection, { amount, reference }: BeginPayment, made: Bill) =>
  made.amount === amount
    ? strangeness(connection, reference, made)
    : `Billplz asks for ${made.amount} sen instead of ${amount}.`;

async function beginPayment(connection: Connection, payment: BeginPayment): Promise<BeginAnswer> {
  const refusal = validateAmount(payment);
  if (refusal !== null) return { kind: "refused", reason: refusal };
  const made = await call(
    connection,
    "making a bill at Billplz",
    { method: "POST", path: "/v3/bills", form: billOf(connection, payment) },
    Bill,
  );
  if (!made.ok) {
    const { kind, reason } = made.trouble;
    return kind === "refused" || kind === "missing" ? { kind: "refused", reason } : unknown(reason);
  }
  const { id: gatewayId, url } = made.value;
  const reason = otherThan(connection, payment, made.value);
  if (reason !== null) {
    // No payer has its address, but it is not left open.
    await deleteBill(connection, gatewayId);
    return { kind: "refused", reason };
  }
  return { kind: "redirect", gatewayId, url: bankOf(payment.choice) ? submitted(url) : url };
}

/** The address that leads past Billplz's page to the bank that the bill names. */
function submitted(url: string): string {
  const address = new URL(url);
  address.searchParams.set("auto_submit", "true");
  return address.href;
}

/** Billplz does not say why. */
const DECLINED = "The bank or wallet did not complete it.";

async function find(connection: Connection, reference: string, hint?: Hint): Promise<FindAnswer> {
  const looked = await lookUp(connection, reference, hint);
  if (looked.kind === "unsure") return unknown(looked.reason);
  if (looked.kind === "nothing") return { kind: "nothing" };
  const { value: bill } = looked;
  if (bill.paid || bill.state === "paid") return paidAnswer(connection, bill);
  const tries = await triesOf(connection, bill.id);
  if (!tries.ok) return unknown(tries.trouble.reason);
  if (tries.value === "pending") return { kind: "pending", gatewayId: bill.id };
  if (bill.state !== "due") return { kind: "cancelled", gatewayId: bill.id };
  const declined = tries.value === "failed" ? { declined: DECLINED } : {};
  return { kind: "open", gatewayId: bill.id, url: bill.url, ...declined };
}

async function paidAnswer(connection: Connection, bill: Bill): Promise<FindAnswer> {
  if (bill.paid_amount === 0)
    return unknown("Billplz says that this is paid, and not how much was taken.");
  const taken = await transactionOf(connection, bill.id, "completed");
  const channel = taken.ok ? taken.value?.channel : null;
  return {
    kind: "succeeded",
    gatewayId: bill.id,
    amount: bill.paid_amount,
    currency: CURRENCY,
    // Billplz's interface does not name its fee.
    fee: 0,
    ...(channel ? { paidWith: channel.toLowerCase().slice(0, 50) } : {}),
  };
}

/**
 * Deletes the bill. Money that a bank may be moving is never cut off: a bill with a pending transaction is not deleted, and one that got one meanwhile
 * counts as too late.
 */
async function cancel(
  connection: Connection,
  reference: string,
  hint?: Hint,
): Promise<CancelAnswer> {
  const before = await find(connection, reference, hint);
  if (before.kind === "unknown") return before;
  if (before.kind === "nothing") return unknown("Billplz shows no such attempt.");
  if (before.kind !== "open")
    return { kind: before.kind === "cancelled" ? "cancelled" : "too_late" };
  const { gatewayId } = before;
  const deleted = await deleteBill(connection, gatewayId);
  if (!deleted.ok && deleted.trouble.kind !== "refused" && deleted.trouble.kind !== "missing")
    return unknown(deleted.trouble.reason);
  return afterDeletion(connection, gatewayId);
}

async function afterDeletion(connection: Connection, id: string): Promise<CancelAnswer> {
  const bill = await getBill(connection, id);
  // A bill that is gone can still be paid by a bank that is at work; Billplz shows it again then.
  const isGone = bill.ok ? bill.value.state === "deleted" : bill.trouble.kind === "missing";
  if (bill.ok && bill.value.paid) return { kind: "too_late" };
  if (!isGone) return unknown(bill.ok ? "Billplz did not delete the bill." : bill.trouble.reason);
  if (!bill.ok) return { kind: "cancelled" };
  const pending = await transactionOf(connection, id, "pending");
  if (!pending.ok) return unknown(pending.trouble.reason);
  return { kind: pending.value ? "too_late" : "cancelled" };
}

const noRefunds =
  "Billplz has no refunds through its API. Return the money to the payer by bank transfer or in Billplz, then record the refund here.";
const noMethods =
  "Billplz saves no payment methods here. Connect a gateway that does, such as CHIP or Stripe.";

/** Billplz: FPX, e-wallets and cards in Malaysia, on Billplz's own page. */
export const billplzGateway: Gateway = {
  name: "billplz",
  title: "Billplz",
  builtIn: false,
  accountField: "collection_id",
  get origins() {
    return [originOf("live"), originOf("test")];
  },
  // 100 reads in 5 minutes, and a look-up takes two.
  lookUpsPerMinute: 8,
  limitsByAddress: true,
  savesMethods: false,
  chargeIsIdempotent: false,
  refundIsIdempotent: false,
  provesAbsence: false,
  prepare: null,
  minimums: {},
  registerCallbacks: null,
  findMethod: null,
  attemptOfMethod: null,
  validateKey,
  validateCallbackSecret: () => null,
  checkKey,
  offers,
  beginPayment,
  saveMethod: async () => ({ kind: "refused", reason: noMethods }),
  charge: async () => ({ kind: "failed", gatewayId: "", decline: "hard", reason: noMethods }),
  find,
  listSince: null,
  forgetCustomer: async () => ({ kind: "forgotten" }),
  cancel,
  refundSupport: async () => ({ kind: "unsupported", reason: noRefunds }),
  refund: async () => ({ kind: "failed", reason: noRefunds }),
  findRefund: async () => ({ kind: "nothing" }),
  refundsAndDisputes: async () => ({ kind: "found", refunds: [], dispute: null, movements: [] }),
  callbackReply: "",
  verifyCallback,
  validateAmount,
  settleNow: async () => {},
};
