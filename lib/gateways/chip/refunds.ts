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
// the refund that is looked up, or one that staff made at CHIP. What staff recorded may have gone back another way, and may be in the sum or not.

/** What CHIP shows of a purchase's refunds. `gone`: all that was given back. `ids`: of its refunds, oldest first. `mayRefund`: CHIP refunds it. */
type Shown = { taken: Money; gone: number; ids: string[]; isPending: boolean; mayRefund: boolean };

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
    mayRefund: purchase.refund_availability !== "none",
  };
}

const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);
const amountOf = ({ amount }: BookedRefund) => amount;

/**
 * What CHIP gave back beside the refunds that went through CHIP by our records, with the ids that are left, and what staff recorded. `hasUnknown`: CHIP names
 * a refund that no record has by its id.
 */
type Rest = { amount: number; ids: string[]; hasUnknown: boolean; recorded: number[] };

function restOf({ gone, ids }: Shown, booked: readonly BookedRefund[]): Rest {
  const { recorded = [], made = [] } = Object.groupBy(booked, (one) =>
    one.recorded ? "recorded" : "made",
  );
  const known = new Set(made.map(({ refundId }) => refundId));
  const unknownIds = ids.filter((id) => !known.has(id));
  // The oldest ones are of refunds that staff said to have succeeded: those have no id here.
  const nameless = made.filter(({ refundId }) => refundId === "").length;
  return {
    amount: gone - sumOf(made.map(amountOf)),
    ids: unknownIds.slice(nameless),
    hasUnknown: unknownIds.length > 0,
    recorded: recorded.map(amountOf),
  };
}

const MAX_SUMS = 10_000;

/** Whether at least so many of these amounts come to this sum; undefined where there are too many of them to tell. */
function canComeTo(amounts: readonly number[], sum: number, atLeast: number): boolean | undefined {
  /** How many amounts a sum can have at most. */
  const counts = new Map([[0, 0]]);
  for (const amount of amounts) {
    for (const [before, count] of [...counts]) {
      const after = before + amount;
      if (after <= sum) counts.set(after, Math.max(count + 1, counts.get(after) ?? 0));
    }
    if (counts.size > MAX_SUMS) return undefined;
  }
  return (counts.get(sum) ?? -1) >= atLeast;
}

const texts = {
  several:
    "CHIP shows the sum of several refunds, and not how much each gave back. Compare them with those that are recorded here, and record each one that is missing.",
  unrecorded:
    "CHIP gave money back that is not recorded here. Look up the refunds of this payment at CHIP, and record here what is missing.",
  less: "CHIP gave back less than the refunds that are recorded here. If the difference went back another way, return further refunds outside CHIP too, and record them here. If it did not go back, return it at CHIP, and do not record it again.",
};

/** `one`: the only refund that our records do not hold. `misfit`: staff have to compare both. */
type Comparison =
  | { kind: "fits" }
  | { kind: "one"; id: string; amount: number }
  | { kind: "misfit"; problem: string };

/** What CHIP shows against our records, where no refund is pending. */
function compare(shown: Shown, booked: readonly BookedRefund[]): Comparison {
  const { amount, ids, hasUnknown, recorded } = restOf(shown, booked);
  const [id, ...more] = ids;
  // Without a new id, the sum of a purchase that CHIP cannot refund proves nothing.
  if (!hasUnknown && !shown.mayRefund) return { kind: "fits" };
  if (amount < 0) return { kind: "misfit", problem: texts.less };
  // One record explains one refund: each id that is left needs its own. Where nothing is left of the sum, the totals agree.
  if (amount === 0 || canComeTo(recorded, amount, ids.length)) return { kind: "fits" };
  if (id !== undefined && more.length === 0) return { kind: "one", id, amount };
  return { kind: "misfit", problem: more.length > 0 ? texts.several : texts.unrecorded };
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
  const problem = shown && !shown.isPending ? problemIn(shown, attempt.booked ?? []) : null;
  if (problem) return { kind: "unsupported", reason: problem };
  return of.purchase?.refund_availability === "none"
    ? { kind: "unsupported", reason: reasons.none }
    : { kind: "supported" };
}

function problemIn(shown: Shown, booked: readonly BookedRefund[]): string | null {
  const found = compare(shown, booked);
  if (found.kind === "misfit") return found.problem;
  // It may be one of those that were recorded, by another amount.
  return found.kind === "one" && booked.some(({ recorded }) => recorded) ? texts.unrecorded : null;
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
  if (shown.isPending)
    return failed("Another refund of this payment is pending at CHIP. Try again once it is done.");
  const found = compare(shown, asked.booked ?? []);
  if (found.kind === "misfit") return failed(found.problem);
  if (found.kind === "one")
    return found.amount === asked.amount
      ? succeeded(shown, found.id, found.amount)
      : failed(texts.unrecorded);
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

const succeeded = ({ taken }: Shown, refundId: string, amount: number): RefundAnswer => ({
  kind: "succeeded",
  refundId,
  amount,
  currency: taken.currency,
});

/**
 * What CHIP shows of a refund that was sent, by the money that our records do not hold. Where that may be of a recorded refund as well as of this one,
 * nothing is known.
 */
function refundIn(
  shown: Shown,
  { amount, booked = [] }: Pick<RefundRequest, "amount" | "booked">,
): FindRefundAnswer {
  const { amount: rest, ids, recorded } = restOf(shown, booked);
  if (shown.isPending) return { kind: "pending", refundId: ids[0] ?? "" };
  const isOther = canComeTo(recorded, rest, ids.length);
  const mayBeThis = ids.length > 0 && canComeTo(recorded, rest - amount, ids.length - 1) !== false;
  if (isOther && !mayBeThis) return { kind: "nothing" };
  const newest = ids.at(-1);
  const isAlone = ids.length === 1 && rest === amount;
  const isBesideAll = ids.length === recorded.length + 1 && rest === amount + sumOf(recorded);
  return newest !== undefined && isOther === false && (isAlone || isBesideAll)
    ? succeeded(shown, newest, amount)
    : unknown("CHIP shows refunds of this payment that do not fit what is recorded here.");
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
  const compared: Comparison | Unknown = shown.isPending
    ? unknown("A refund of this payment is under way at CHIP.")
    : compare(shown, booked);
  if (compared.kind === "fits" || compared.kind === "one")
    return { kind: "found", refunds: refundsIn(shown, booked, compared), ...returns };
  // A chargeback counts whatever is not known of refunds.
  if (returns.dispute) return { kind: "found", refunds: [], ...returns };
  return compared.kind === "unknown" ? compared : { kind: "unclear", reason: compared.problem };
}

function refundsIn(
  shown: Shown,
  booked: readonly BookedRefund[],
  compared: Exclude<Comparison, { kind: "misfit" }>,
): RefundState[] {
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
  return compared.kind === "one" ? [...known, state(compared.id, compared.amount)] : known;
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
