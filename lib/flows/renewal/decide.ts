import type { PaymentRow } from "@/lib/domain/payments/rows";
import { countsAsPaid, isLive, isResolved, isSetAside } from "@/lib/domain/payments/rules";
import type { PeriodRow } from "@/lib/domain/subscriptions/period-rows";
import { nextRetry } from "@/lib/domain/subscriptions/plan";
import type { SubscriptionRow } from "@/lib/domain/subscriptions/rows";
import type { ChargeAnswer, FindAnswer } from "@/lib/gateways/gateway";

type Status = SubscriptionRow["status"];

type Attempt = Pick<PaymentRow, "id" | "status" | "decline" | "succeededAt" | "flags">;

/**
 * What the locked rows say about a period. `attempts`: all payments of the period. `resolvedId`: the one that staff have ended since the saved method was
 * activated, if any. `mayCharge`: false leaves a charge to the next claim.
 */
export type Facts = {
  now: string;
  subscription: Pick<SubscriptionRow, "status" | "deletedAt">;
  period: Pick<PeriodRow, "state" | "paymentId" | "retryAt" | "overdueAt">;
  linkPaid: boolean;
  attempts: readonly Attempt[];
  resolvedId: string | null;
  mayCharge: boolean;
};

export type Decision =
  /** The period is paid or void already. */
  | { kind: "over" }
  /** The subscription has ended, and its unfinished periods end with it. */
  | { kind: "end" }
  /** The period is paid, by these payments. */
  | { kind: "settle"; paidBy: string[] }
  /** An attempt has no outcome yet. */
  | { kind: "await_attempt"; paymentId: string }
  /** The attempt failed. `hard`: the method must not be charged again. */
  | { kind: "record_failure"; hard: boolean }
  /** Staff ended a payment without the gateway's word, so its money may have been taken: the method is not charged beside it. */
  | { kind: "record_resolved"; paymentId: string }
  /** The payer has a link, and neither a retry nor the overdue date has come. */
  | { kind: "wait" }
  /** The payer has not paid the link in time. `pastDue`: the subscription becomes past due. */
  | { kind: "overdue"; pastDue: boolean }
  /** It is time to charge the saved method: `decideCharge` says how. */
  | { kind: "charge" }
  /** The same, but not in this run. */
  | { kind: "charge_next_run" };

/** The one next thing to do about a period. It depends on the rows alone, so that deciding twice changes nothing twice. */
export function decide({
  now,
  subscription,
  period,
  linkPaid,
  attempts,
  resolvedId,
  mayCharge,
}: Facts): Decision {
  if (period.state === "paid" || period.state === "void") return { kind: "over" };
  if (subscription.status === "cancel" || subscription.deletedAt !== null) return { kind: "end" };

  const paidBy = attempts.filter(countsAsPaid).map(({ id }) => id);
  if (paidBy.length > 0 || linkPaid) return { kind: "settle", paidBy };

  // Money of another amount waits for a person, also where it came to an attempt that was over.
  const live = attempts.find((attempt) => isLive(attempt.status) || isSetAside(attempt));
  if (live) return { kind: "await_attempt", paymentId: live.id };

  const own = attempts.find(({ id }) => id === period.paymentId);
  if (period.state === "charging" && own && (own.status === "failed" || isResolved(own)))
    return { kind: "record_failure", hard: own.decline === "hard" || isResolved(own) };

  // A charge that was cancelled before the gateway had it is made anew.
  const isTime = period.state !== "open" || isPast(period.retryAt, now);
  if (isTime && period.state === "open" && resolvedId !== null)
    return { kind: "record_resolved", paymentId: resolvedId };
  if (isTime) return mayCharge ? { kind: "charge" } : { kind: "charge_next_run" };

  if (!isPast(period.overdueAt, now)) return { kind: "wait" };
  const { status } = subscription;
  return { kind: "overdue", pastDue: status === "active" || status === "created" };
}

const isPast = (moment: string | null, now: string) => moment !== null && moment <= now;

/**
 * `method`: whether the saved method can be charged; `disconnected`: its gateway account is not connected now, nor is another that could take
 * money. `mayExist`: the charge may have been made after the backup that was restored. `found`: the gateway's answer about that charge.
 */
export type ChargeFacts = {
  state: PeriodRow["state"];
  method: "usable" | "none" | "disconnected";
  mayExist: boolean;
  found: FindAnswer | undefined;
  /** Whether the gateway can show that it has no such charge. */
  provesAbsence: boolean;
};

export type ChargeDecision =
  /** The charge is written down, and sent after the commit. */
  | { kind: "send" }
  /** The gateway is asked first, with no transaction open. */
  | { kind: "look_up" }
  /** The charge exists at the gateway: it is written down with its outcome, and not sent. */
  | { kind: "adopt"; answer: ChargeAnswer }
  /** The payer gets a link for the period. */
  | { kind: "ask_payer" }
  /** A retry without a method counts as one that failed. */
  | { kind: "record_failure" }
  /** Nothing can be known or charged now. That is no decline. */
  | { kind: "try_later" };

/** How to charge a due period. */
export function decideCharge({
  state,
  method,
  mayExist,
  found,
  provesAbsence,
}: ChargeFacts): ChargeDecision {
  const withoutCharge = { kind: state === "open" ? "record_failure" : "ask_payer" } as const;
  if (method === "disconnected") return { kind: "try_later" };
  if (method === "none") return withoutCharge;
  if (!found) return { kind: mayExist ? "look_up" : "send" };
  switch (found.kind) {
    case "unknown":
      return { kind: "try_later" };
    case "succeeded":
    case "pending":
    case "failed":
      return { kind: "adopt", answer: found };
    case "nothing":
      return provesAbsence ? { kind: "send" } : withoutCharge;
    default:
      return { kind: "send" };
  }
}

/** How a failed charge counts, where the attempt that followed it `mayExist` at the gateway. `found`: the gateway's answer about that attempt. */
export function decideFollowing({
  mayExist,
  found,
}: Pick<ChargeFacts, "mayExist" | "found">): Extract<
  ChargeDecision,
  { kind: "look_up" | "adopt" | "record_failure" | "try_later" }
> {
  if (!found) return { kind: mayExist ? "look_up" : "record_failure" };
  switch (found.kind) {
    case "unknown":
      return { kind: "try_later" };
    case "succeeded":
    case "pending":
    case "failed":
      return { kind: "adopt", answer: found };
    default:
      return { kind: "record_failure" };
  }
}

/**
 * `replaced`: the payer has saved a newer method since that charge began, and the gateway refused the charge. `forgotten`: the subscription has another payer since then.
 * `unconfirmed`: staff ended the charge without the gateway's word. Its money may have been taken, so no method is charged for it, and no mail says that it failed.
 */
export type FailureFacts = {
  now: string;
  status: Status;
  firstFailedAt: string;
  retryDays: readonly number[];
  hard: boolean;
  method: "kept" | "replaced" | "forgotten" | "unconfirmed";
};

type FailureNotice = {
  event: "subscription.halted" | "subscription.past_due" | "subscription.payment_due";
  mail: "subscription_halted" | "payment_failed" | "payment_unconfirmed" | null;
};

export type FailureDecision =
  /** The method is charged again at this moment. */
  | { kind: "retry"; at: string; notice: FailureNotice }
  /** The newer method is charged at once. */
  | { kind: "charge_newer"; notice: FailureNotice }
  /** No further try: the subscription is halted until its payer pays. */
  | { kind: "halt"; notice: FailureNotice }
  /** The payer gets a link for the period. */
  | { kind: "ask_payer" };

/** What follows a failed charge. A halted subscription stays halted. */
export function decideFailure({
  now,
  status,
  firstFailedAt,
  retryDays,
  hard,
  method,
}: FailureFacts): FailureDecision {
  if (method === "forgotten") return { kind: "ask_payer" };
  const isDue = status === "past_due" || status === "halted";
  if (method === "replaced")
    return {
      kind: "charge_newer",
      notice: {
        event: isDue ? "subscription.payment_due" : "subscription.past_due",
        // The payer has seen to it already.
        mail: null,
      },
    };
  if (method === "unconfirmed")
    return {
      kind: "halt",
      notice: {
        event: status === "halted" ? "subscription.payment_due" : "subscription.halted",
        mail: "payment_unconfirmed",
      },
    };
  const at = hard || status === "halted" ? null : nextRetry(firstFailedAt, retryDays, now);
  const again: FailureNotice = { event: "subscription.payment_due", mail: "payment_failed" };
  if (at === null)
    return {
      kind: "halt",
      notice:
        status === "halted" ? again : { event: "subscription.halted", mail: "subscription_halted" },
    };
  return {
    kind: "retry",
    at,
    notice: status === "past_due" ? again : { ...again, event: "subscription.past_due" },
  };
}
