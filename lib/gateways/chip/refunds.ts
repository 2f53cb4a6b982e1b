import type {
  AttemptRef,
  BookedRefund,
  Connection,
  FindRefundAnswer,
  Hint,
  Money,
  RefundAnswer,
  RefundRequest,
  RefundsAndDisputes,
  RefundState,
  RefundSupport,
  Unclear,
  Unknown,
} from "../gateway";
import { takenOf } from "./answers";
import { call, unknown } from "./client";
import { getPurchase, lookUp } from "./purchases";
import { type Purchase, RefundResult } from "./shapes";

// CHIP knows no key for a refund and shows only the sum of all refunds of a purchase. What our records do not hold of that sum is one of three: nothing,
// the refund that is looked up, or one that staff made at CHIP.

/** What CHIP shows of a purchase's refunds. `gone`: all that was given back. `ids`: of its refunds, oldest first. */
type Shown = { taken: Money; gone: number; ids: string[]; isPending: boolean };

function shownBy(purchase: Purchase): Shown | null {
  const taken = takenOf(purchase);
  const { refundable_amount: left, status_history: history, status } = purchase;
  if (!taken || typeof left !== "number" || left > taken.amount) return null;
  const ids = (history ?? []).flatMap(({ status, related_object: related }) =>
    status === "refunded" && related?.type === "payment" ? [related.id] : [],
  );
  return {
    taken,
    gone: taken.amount - left,
    ids: [...new Set(ids)],
    isPending: status === "pending_refund",
  };
}

const sumOf = (refunds: readonly BookedRefund[]) =>
  refunds.reduce((sum, { amount }) => sum + amount, 0);

/** The ids that CHIP shows and our records do not hold. */
function idsWithoutRecord({ ids }: Shown, booked: readonly BookedRefund[]): string[] {
  const known = new Set(booked.map(({ refundId }) => refundId));
  return ids.filter((id) => !known.has(id));
}

/**
 * The ids of refunds that our records do not hold. The oldest ones without a record are of refunds that staff recorded, or said to have succeeded: those
 * have no id here.
 */
function newIds(shown: Shown, booked: readonly BookedRefund[]): string[] {
  const recorded = booked.filter(({ refundId }) => refundId === "").length;
  return idsWithoutRecord(shown, booked).slice(recorded);
}

const texts = {
  several:
    "CHIP shows the sum of several refunds, and not how much each gave back. Record each of them here by hand.",
  more: "CHIP gave back more than the refunds that are recorded here, and does not show by which refund. Look up the rest at CHIP, then record it here.",
  less: "CHIP gave back less than the refunds that are recorded here. The difference must go back at CHIP before anything else. Do not record it again.",
};

/** Why what CHIP shows does not fit our records, with what staff can do; null where it fits, or where the only new refund has a known amount. */
function misfitOf(shown: Shown, booked: readonly BookedRefund[]): string | null {
  const rest = shown.gone - sumOf(booked);
  const fresh = newIds(shown, booked).length;
  // Counts those that staff recorded too: several are recorded one by one, down to the last.
  if (rest > 0 && idsWithoutRecord(shown, booked).length > 1)
    return fresh > 0 ? texts.several : texts.more;
  if (rest === 0 || shown.isPending) return null;
  if (rest < 0) return texts.less;
  return fresh === 1 ? null : texts.more;
}

async function purchaseOf(
  connection: Connection,
  { reference, hint }: AttemptRef,
): Promise<{ purchase: Purchase | null } | Unknown> {
  const looked = await lookUp(connection, reference, hint);
  if (looked.kind === "unsure") return unknown(looked.reason);
  return { purchase: looked.kind === "found" ? looked.value : null };
}

const reasons = {
  none: "CHIP cannot refund this payment through its API. Return the money to the payer by bank transfer or in CHIP, then record the refund here.",
  full_only: "CHIP refunds this payment only as a whole.",
};

/**
 * Whether CHIP refunds a purchase. One that it refunds only as a whole is supported; a part of it is refused by name. Where its sum does not fit our
 * records it is not: only staff know which refunds were made at CHIP, and record them.
 */
export async function refundSupport(
  connection: Connection,
  attempt: AttemptRef & Pick<RefundRequest, "booked">,
): Promise<RefundSupport> {
  const of = await purchaseOf(connection, attempt);
  if ("kind" in of) return of;
  const shown = of.purchase && shownBy(of.purchase);
  // First: where the money has gone back already, it must not be returned once more.
  const misfit = shown && misfitOf(shown, attempt.booked ?? []);
  if (misfit) return { kind: "unsupported", reason: misfit };
  return of.purchase?.refund_availability === "none"
    ? { kind: "unsupported", reason: reasons.none }
    : { kind: "supported" };
}

/**
 * Refunds a purchase, once for each time that it is called: CHIP knows no keys, so the caller never sends a refund again. Money that went back and that
 * our records do not hold may be this very refund: then nothing is sent.
 */
export async function refund(connection: Connection, asked: RefundRequest): Promise<RefundAnswer> {
  const of = await purchaseOf(connection, asked);
  if ("kind" in of) return of;
  const { purchase } = of;
  const failed = (reason: string): RefundAnswer => ({ kind: "failed", reason });
  if (!purchase) return failed("CHIP shows no such payment.");
  const shown = shownBy(purchase);
  if (!shown) return failed("This payment was not taken.");
  if (shown.taken.currency !== asked.currency) return failed("The payment is in another currency.");
  const earlier = refundIn(shown, asked);
  if (earlier.kind === "succeeded") return earlier;
  if (earlier.kind === "pending")
    return failed("Another refund of this payment is pending at CHIP. Try again once it is done.");
  if (earlier.kind === "unknown")
    return failed(
      misfitOf(shown, asked.booked ?? []) ??
        "CHIP shows a refund of this payment that is not recorded here. Compare both before you refund more.",
    );
  if (purchase.refund_availability === "full_only" && asked.amount !== shown.taken.amount)
    return failed(reasons.full_only);
  const result = await call(
    connection,
    "refunding at CHIP",
    { method: "POST", path: `/purchases/${purchase.id}/refund/`, body: { amount: asked.amount } },
    RefundResult,
  );
  if (result.ok) return madeBy(result.value);
  const { kind, reason } = result.trouble;
  return kind === "refused" || kind === "missing"
    ? failed(await refusalOf(connection, purchase.id, reason))
    : unknown(reason);
}

function madeBy(made: RefundResult): RefundAnswer {
  if ("status" in made)
    return made.status === "pending_refund"
      ? // What has an id here is the purchase.
        { kind: "pending", refundId: "" }
      : unknown("CHIP did not say what became of the refund.");
  const { amount, currency } = made.payment;
  return { kind: "succeeded", refundId: made.id, amount, currency };
}

/** Why CHIP refused a refund: the error of the try, where it has one. */
async function refusalOf(connection: Connection, id: string, reason: string): Promise<string> {
  const after = await getPurchase(connection, id);
  const tried = after.ok ? after.value.transaction_data?.attempts?.[0] : undefined;
  const message = tried?.type === "refund" && !tried.successful ? tried.error?.message : null;
  return (message || reason).slice(0, 300);
}

/** What CHIP shows of a refund, by the money that our records do not hold. */
function refundIn(
  shown: Shown,
  { amount, booked = [] }: Pick<RefundRequest, "amount" | "booked">,
): FindRefundAnswer {
  const rest = shown.gone - sumOf(booked);
  const [id, ...more] = newIds(shown, booked);
  if (shown.isPending) return { kind: "pending", refundId: id ?? "" };
  if (rest === 0) return { kind: "nothing" };
  if (rest === amount && id !== undefined && more.length === 0)
    return { kind: "succeeded", refundId: id, amount, currency: shown.taken.currency };
  return unknown("CHIP shows refunds of this payment that do not fit what is recorded here.");
}

export async function findRefund(
  connection: Connection,
  asked: RefundRequest,
): Promise<FindRefundAnswer> {
  const of = await purchaseOf(connection, asked);
  if ("kind" in of) return of;
  if (!of.purchase) return { kind: "nothing" };
  const shown = shownBy(of.purchase);
  return shown ? refundIn(shown, asked) : { kind: "nothing" };
}

/** Refunds and chargebacks of a purchase. CHIP shows the sum of its refunds, so only one new refund has a known amount. */
export async function refundsAndDisputes(
  connection: Connection,
  reference: string,
  hint?: Hint,
  booked: readonly BookedRefund[] = [],
): Promise<RefundsAndDisputes | Unclear | Unknown> {
  const of = await purchaseOf(connection, { reference, ...(hint ? { hint } : {}) });
  if ("kind" in of) return of;
  const shown = of.purchase && shownBy(of.purchase);
  if (!of.purchase || !shown) return { kind: "found", refunds: [], dispute: null, movements: [] };
  const returns = disputeOf(of.purchase, shown.taken);
  const refunds = refundsIn(shown, booked);
  if (refunds) return { kind: "found", refunds, ...returns };
  // A chargeback counts whatever is not known of refunds.
  if (returns.dispute) return { kind: "found", refunds: [], ...returns };
  const misfit = shown.isPending ? null : misfitOf(shown, booked);
  return misfit === null
    ? unknown("A refund of this payment is under way at CHIP.")
    : { kind: "unclear", reason: misfit };
}

function refundsIn(shown: Shown, booked: readonly BookedRefund[]): RefundState[] | null {
  const fresh = newIds(shown, booked);
  const rest = shown.gone - sumOf(booked);
  if (shown.isPending || rest < 0 || (rest > 0 && fresh.length !== 1)) return null;
  const state = (refundId: string, amount: number): RefundState => ({
    refundId,
    key: null,
    status: "succeeded",
    reason: null,
    amount,
    currency: shown.taken.currency,
  });
  const known = booked
    .filter(({ refundId }) => shown.ids.includes(refundId))
    .map(({ refundId, amount }) => state(refundId, amount));
  const [id] = fresh;
  return id !== undefined && rest > 0 ? [...known, state(id, rest)] : known;
}

/** A chargeback, which can be reversed. How much it took is not documented, so its money is left to staff. */
function disputeOf(
  { id, status, status_history: history }: Purchase,
  { amount, currency }: Money,
): Pick<RefundsAndDisputes, "dispute" | "movements"> {
  const taken = (history ?? []).filter((entry) => entry.status === "chargeback").length;
  const isOpen = status === "chargeback";
  if (taken === 0 && !isOpen) return { dispute: null, movements: [] };
  const stated = `up to ${currency} ${amount} minor units`;
  return {
    dispute: { id, status: isOpen ? "open" : "won", reason: "chargeback" },
    movements: [{ id: `${id}:chargeback`, money: null, fee: null, stated }],
  };
}
