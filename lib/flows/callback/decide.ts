import type { CallbackRow } from "@/lib/domain/callbacks/rows";
import type { ConnectionRow } from "@/lib/domain/gateway-connections/rows";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { isOver, nextCheckSeconds } from "@/lib/domain/payments/rules";
import { parseReference } from "@/lib/domain/tokenizations/rules";
import type { RefundsAndDisputes, Callback } from "@/lib/gateways/gateway";
import { isId } from "@/lib/kernel/ids";
import { displayAmount } from "@/lib/kernel/money";

/**
 * How a callback is closed. `unmatched`: it belongs to no payment here; `retrySeconds` null: it is not tried again. `new`: it is tried again.
 */
export type Outcome =
  | { kind: "done" }
  | { kind: "unmatched"; retrySeconds: number | null }
  | { kind: "new"; retrySeconds: number }
  | { kind: "quarantined"; problem: string };

const RETRY_UNMATCHED_SECONDS = 30;
/** A payment that is not there by then will not come; a dispute that is not visible by then is a problem. */
const GIVE_UP_MINUTES = 15;

const isOld = (createdAt: string, now: number) =>
  now - Date.parse(createdAt) > GIVE_UP_MINUTES * 60_000;

/** What a rightly signed callback says that is not about this connection, as a sentence; null when it fits. */
export function strangerIn(
  { claims }: Pick<Callback, "claims">,
  { mode, account }: Pick<ConnectionRow, "mode" | "account">,
): string | null {
  if (claims && claims.mode !== mode)
    return `The callback reports ${claims.mode} mode; this connection is in ${mode} mode.`;
  if (claims?.account && claims.account !== account)
    return `The callback reports another account (${claims.account}).`;
  return null;
}

/**
 * How a rightly signed callback is stored. `isOurs`: it names a payment or token of this business. A callback of another account that names none comes
 * from another use of the gateway, such as another brand. All others that are not about this connection are set aside.
 */
export function decideStored(
  callback: Pick<Callback, "claims">,
  connection: Pick<ConnectionRow, "mode" | "account">,
  isOurs: boolean,
): Pick<CallbackRow, "state" | "problem"> {
  const problem = strangerIn(callback, connection);
  if (problem === null) return { state: "new", problem };
  return isOurs || callback.claims?.mode !== connection.mode
    ? { state: "quarantined", problem }
    : { state: "unmatched", problem: null };
}

type Mismatch = Pick<PaymentRow, "flags" | "resolvedAt" | "succeededAt" | "testClockId">;

/** Whether a mismatch that a callback reported is over since: staff have resolved it, or the right amount came. */
function isOverSince(
  createdAt: string,
  { flags, resolvedAt, succeededAt, testClockId }: Mismatch,
): boolean {
  if (!flags.includes("amount_mismatch")) return false;
  const resolved = flags.includes("resolved") ? resolvedAt : null;
  // Under a test clock it is no real moment.
  const succeeded = testClockId === null ? succeededAt : null;
  return [resolved, succeeded].some((moment) => moment !== null && moment >= createdAt);
}

/** Another amount than the payment asked for, as a sentence; null when it fits, and once the mismatch is over. */
export function otherMoneyIn(
  { amount, currency, createdAt }: Pick<CallbackRow, "amount" | "currency" | "createdAt">,
  payment: Pick<PaymentRow, "id" | "amount" | "currency"> & Mismatch,
): string | null {
  if (amount === null || (amount === payment.amount && currency === payment.currency)) return null;
  if (isOverSince(createdAt, payment)) return null;
  return `The callback reports ${displayAmount(amount, currency ?? "")}; payment ${payment.id} asked for ${displayAmount(payment.amount, payment.currency)}.`;
}

/** Whether a callback is about refunds or disputes, which are then looked up too. */
export const isAboutReturns = ({ about }: Pick<CallbackRow, "about">) =>
  about === "refund" || about === "dispute";

/** Whether another callback about the payment may have been set aside before this one, which fits. `payment`: as it was before. */
export const mayHaveSetAside = (
  row: Pick<CallbackRow, "about" | "amount">,
  { status, flags }: Pick<PaymentRow, "status" | "flags">,
) =>
  isAboutReturns(row) ||
  (isOver(status) && row.amount !== null) ||
  flags.includes("amount_mismatch");

/** The change of a dispute that a callback names and the gateway shows of no dispute, as a sentence; null when the gateway shows it. */
export function unseenOf(
  change: CallbackRow["disputeChange"],
  { dispute, movements }: Pick<RefundsAndDisputes, "dispute" | "movements">,
): string | null {
  const moved = (sign: number) =>
    movements.some(({ money }) => money === null || Math.sign(money.amount) === sign);
  if (change === "withdrawn" && !moved(1))
    return "The callback reports money that a dispute took; the payment provider shows none.";
  if (change === "reinstated" && !moved(-1))
    return "The callback reports money that came back from a dispute; the payment provider shows none.";
  return change === "closed" && dispute?.status === "open" && !dispute.anotherIsOver
    ? "The callback reports a dispute that is over; it is open at the payment provider."
    : null;
}

/** What comes of a callback once the gateway was asked: `wait` when the gateway does not show yet what the callback reports. */
export type Comparison =
  | { kind: "fits" }
  | { kind: "wait"; reason: string }
  | { kind: "problem"; problem: string };

const untilOld = (createdAt: string, now: number, unseen: string): Comparison =>
  isOld(createdAt, now) ? { kind: "problem", problem: unseen } : { kind: "wait", reason: unseen };

/** What comes of a callback about an ended attempt of which the gateway shows nothing: no proof that the reported money is not there. `now` in milliseconds. */
export const decideUnshown = (
  { amount, currency, createdAt }: Pick<CallbackRow, "amount" | "currency" | "createdAt">,
  now: number,
): Comparison =>
  amount === null
    ? { kind: "fits" }
    : untilOld(
        createdAt,
        now,
        `The callback reports ${displayAmount(amount, currency ?? "")}; the payment provider shows no such payment.`,
      );

/** What comes of a callback's refunds and disputes. `now` in milliseconds. */
export function decideReturns(
  { disputeChange, createdAt }: Pick<CallbackRow, "disputeChange" | "createdAt">,
  payment: Pick<PaymentRow, "id">,
  synced: {
    found: Pick<RefundsAndDisputes, "dispute" | "movements">;
    problems: readonly string[];
  } | null,
  now: number,
): Comparison {
  if (!synced)
    return {
      kind: "problem",
      problem: `The callback reports a refund or dispute; payment ${payment.id} does not count as paid here.`,
    };
  const unseen = unseenOf(disputeChange, synced.found);
  if (synced.problems.length > 0) return { kind: "problem", problem: synced.problems.join(" ") };
  if (unseen === null) return { kind: "fits" };
  return untilOld(createdAt, now, unseen);
}

/** What comes of a callback about refunds that the gateway's answer does not tell apart: staff read it, once time has not helped. `now` in milliseconds. */
export const decideUnclear = (
  { createdAt }: Pick<CallbackRow, "createdAt">,
  reason: string,
  now: number,
): { kind: "wait" } | { kind: "problem"; problem: string } =>
  isOld(createdAt, now) ? { kind: "problem", problem: reason } : { kind: "wait" };

/** Whether a callback names what can be a payment or an activation here. Other programs use the same account with names of their own. */
export const namesOurs = ({ reference }: Pick<CallbackRow, "reference">) =>
  isId(reference) || parseReference(reference) !== undefined;

/** How a callback that belongs to no payment here is closed. `now` in milliseconds. One without a name may be of a payment here. */
export function decideUnmatched(row: Pick<CallbackRow, "createdAt" | "reference">, now: number) {
  const isForeign = row.reference !== "" && !namesOurs(row);
  const retrySeconds = isForeign || isOld(row.createdAt, now) ? null : RETRY_UNMATCHED_SECONDS;
  return { kind: "unmatched", retrySeconds } as const;
}

/** How a callback is closed after its work has failed. */
export const retryOf = ({ tries }: Pick<CallbackRow, "tries">): Outcome => ({
  kind: "new",
  retrySeconds: nextCheckSeconds(tries),
});
