import type { Tx } from "@/db/client";
import type { Ctx } from "@/lib/domain/context";
import { emit } from "@/lib/domain/events/emit";
import { cancelPeriodLinks } from "@/lib/domain/payment-links/cancel";
import { normalAddress } from "@/lib/domain/payers/rules";
import { type LinkRow, lockLink } from "@/lib/domain/payment-links/rows";
import { type PaymentRow, paymentsOfPeriod, withdrawPayments } from "@/lib/domain/payments/rows";
import { hasOtherPayerNow } from "@/lib/domain/payments/payer-rows";
import { isLive, isResolved } from "@/lib/domain/payments/rules";
import { settleIn } from "@/lib/domain/payments/settle";
import { get } from "@/lib/domain/subscriptions/get";
import {
  changePeriod,
  insertPeriod,
  lockPeriod,
  lockTerms,
  type PeriodRow,
  type Terms,
  voidPeriods,
} from "@/lib/domain/subscriptions/period-rows";
import { dayIn, daysLater, periodOf } from "@/lib/domain/subscriptions/periods";
import {
  atOnce,
  earliest,
  jitter,
  lookAgainMinutes,
  mayBeCharged,
  minutesLater,
  overdueAfterDays,
  plannedPeriod,
} from "@/lib/domain/subscriptions/plan";
import { changeSubscription } from "@/lib/domain/subscriptions/rows";
import { find } from "@/lib/domain/tokenizations/rows";
import type { FindAnswer } from "@/lib/gateways/gateway";
import { type Charge, chargeIdOf, chargeOf, insertAttempt, issueLink, lockMethod } from "./begin";
import { decide, decideCharge, decideFailure, decideFollowing, type FailureFacts } from "./decide";
import { flagUnneeded } from "./flag";

/** What remains to be done once a decision is committed. */
export type Next =
  /** Close the hosted pages of these links. */
  | { kind: "done"; release: string[] }
  /** Ask the gateway whether it has this charge already. */
  | { kind: "look_up"; id: string; connectionId: string }
  | { kind: "send"; charge: Charge }
  | { kind: "await"; payment: PaymentRow };

const done: Next = { kind: "done", release: [] };

/** `mayCharge` false leaves a charge to the next claim. `found`: the gateway's answer about the charge of this id. */
export type Options = {
  mayCharge: boolean;
  found?: { id: string; answer: FindAnswer; provesAbsence: boolean };
};

/** The rows that a decision is about, all locked. */
type Locked = {
  terms: Terms;
  period: PeriodRow;
  link: LinkRow | undefined;
  attempts: readonly PaymentRow[];
};

/** Decides about a locked period, and writes the decision down. */
export async function advance(
  ctx: Ctx,
  tx: Tx,
  terms: Terms,
  period: PeriodRow,
  options: Options,
): Promise<Next> {
  const locked = await lockRest(ctx, tx, terms, period);
  const { subscription, now } = terms;
  const { link, attempts } = locked;
  const { mayCharge } = options;
  const linkPaid = link?.status === "Paid";
  const resolvedId = await resolvedSince(ctx, tx, locked);
  const decision = decide({ now, subscription, period, linkPaid, attempts, resolvedId, mayCharge });
  switch (decision.kind) {
    case "over":
      return done;
    case "end":
      await voidPeriods(ctx, tx, subscription.id);
      return done;
    case "settle":
      return settlePaid(ctx, tx, locked, decision.paidBy);
    case "await_attempt":
      return awaitAttempt(ctx, tx, locked, decision.paymentId);
    case "record_failure":
      return failed(ctx, tx, locked, decision.hard, options);
    case "record_resolved": {
      const resolved = attempts.find(({ id }) => id === decision.paymentId);
      if (!resolved) throw new Error("a resolved payment that is none of the period");
      const method = await methodAfterResolved(ctx, tx, terms, resolved);
      return recordFailure(ctx, tx, locked, { hard: true, method });
    }
    case "wait":
      return planNextLook(ctx, tx, locked, period.overdueAt);
    case "overdue":
      await planNextLook(ctx, tx, locked, null);
      if (!decision.pastDue) return done;
      await changeSubscription(ctx, tx, subscription.id, { status: "past_due" });
      return announce(ctx, tx, terms, "subscription.past_due", "payment_overdue");
    case "charge_next_run":
      return lookAgainAt(ctx, tx, period, now);
    case "charge":
      return charge(ctx, tx, locked, options);
  }
}

/** Writes the outcome of a charge and decides about its period again, in one transaction. */
export async function settleCharge(
  ctx: Ctx,
  tx: Tx,
  claimed: PeriodRow,
  paymentId: string,
  answer: FindAnswer,
): Promise<Next> {
  const terms = await lockTerms(ctx, tx, claimed.subscriptionId);
  const period = terms && (await lockPeriod(ctx, tx, claimed));
  await settleIn(ctx, tx, paymentId, answer);
  return period ? advance(ctx, tx, terms, period, { mayCharge: false }) : done;
}

async function lockRest(ctx: Ctx, tx: Tx, terms: Terms, period: PeriodRow): Promise<Locked> {
  const { state, paymentId, paymentLinkId, subscriptionId, periodStart } = period;
  const isOver = state === "paid" || state === "void";
  const isFresh =
    state === "due" &&
    paymentId === null &&
    paymentLinkId === null &&
    !mayBeCharged(terms, periodStart);
  if (isOver || isFresh) return { terms, period, link: undefined, attempts: [] };
  const link = paymentLinkId === null ? undefined : await lockLink(ctx, tx, paymentLinkId, true);
  const attempts = await paymentsOfPeriod(ctx, tx, { subscriptionId, periodStart });
  return { terms, period, link, attempts };
}

/** The newest attempt that staff have ended since the saved method was activated. Both moments are real ones, also under a test clock. */
async function resolvedSince(
  ctx: Ctx,
  tx: Tx,
  { terms, attempts }: Locked,
): Promise<string | null> {
  const resolved = attempts.filter(isResolved);
  const { tokenizationId } = terms.subscription;
  if (resolved.length === 0 || tokenizationId === null) return null;
  const since = (await find(ctx, tokenizationId, tx))?.activatedAt ?? "";
  return (
    resolved.find(({ resolvedAt, updatedAt }) => (resolvedAt ?? updatedAt) >= since)?.id ?? null
  );
}

async function charge(ctx: Ctx, tx: Tx, locked: Locked, { found }: Options): Promise<Next> {
  const { terms, period, attempts } = locked;
  const method = await lockMethod(ctx, tx, terms);
  const id = chargeIdOf(ctx, terms, period, attempts);
  const decision = decideCharge({
    state: period.state,
    method: typeof method === "string" ? method : "usable",
    mayExist: mayBeCharged(terms, period.periodStart),
    found: found?.id === id ? found.answer : undefined,
    provesAbsence: found?.provesAbsence ?? false,
  });
  switch (decision.kind) {
    case "try_later":
      return lookAgainAt(ctx, tx, period, minutesLater(terms.now, lookAgainMinutes));
    case "ask_payer":
      return askPayer(ctx, tx, locked);
    case "record_failure":
      return recordFailure(ctx, tx, locked, { hard: false, method: "kept" });
  }
  if (typeof method === "string") throw new Error("a charge without a saved method");
  if (decision.kind === "look_up")
    return { kind: "look_up", id, connectionId: method.connectionId };
  const payment = await insertAttempt(ctx, tx, locked, id, method);
  return decision.kind === "adopt"
    ? settleCharge(ctx, tx, period, payment.id, decision.answer)
    : { kind: "send", charge: chargeOf(payment, method) };
}

/** A charge has failed. The attempt that followed it may have been made after the backup that was restored: its outcome counts then. */
async function failed(
  ctx: Ctx,
  tx: Tx,
  locked: Locked,
  hard: boolean,
  { found }: Options,
): Promise<Next> {
  const { terms, period, attempts } = locked;
  const own = attempts.find(({ id }) => id === period.paymentId);
  const record = async () =>
    recordFailure(ctx, tx, locked, { hard, method: await methodAfter(ctx, tx, locked) });
  if (!own?.tokenizationId || !own.connectionId) return record();
  const id = chargeIdOf(ctx, terms, period, attempts);
  const decision = decideFollowing({
    mayExist: mayBeCharged(terms, period.periodStart),
    found: found?.id === id ? found.answer : undefined,
  });
  switch (decision.kind) {
    case "record_failure":
      return record();
    case "try_later":
      return lookAgainAt(ctx, tx, period, minutesLater(terms.now, lookAgainMinutes));
    case "look_up":
      return { kind: "look_up", id, connectionId: own.connectionId };
    case "adopt": {
      const { tokenizationId, connectionId, gateway } = own;
      const through = { id: tokenizationId, connectionId, gateway };
      const payment = await insertAttempt(ctx, tx, locked, id, through);
      return settleCharge(ctx, tx, period, payment.id, decision.answer);
    }
  }
}

/** The period is paid: the subscription is active, and the next period is planned. */
async function settlePaid(
  ctx: Ctx,
  tx: Tx,
  { terms, period, link, attempts }: Locked,
  paidBy: readonly string[],
): Promise<Next> {
  const { subscription, now } = terms;
  await changePeriod(ctx, tx, period, {
    state: "paid",
    paymentId: paidBy.at(-1) ?? period.paymentId,
    retryAt: null,
    overdueAt: null,
    dueAt: null,
    nextAttemptAt: null,
  });
  if (paidBy.length > 1) await flagUnneeded(tx, ctx.businessId, paidBy, ctx.requestId);
  const release =
    link?.status === "Active" ? await cancelPeriodLinks(ctx, tx, subscription.id) : [];
  // One that fails later cancels its link: nothing is left to pay.
  if (attempts.some(({ status }) => isLive(status)))
    await withdrawPayments(ctx, tx, subscription.id);
  // Periods that went by while the subscription was halted are not charged. After an outage of the worker each one is.
  const reached =
    subscription.status === "halted"
      ? periodOf(subscription.anchor, terms.package.frequency, dayIn(terms.timeZone, now))
      : 0;
  const next = plannedPeriod(terms, Math.max(period.number + 1, reached));
  await insertPeriod(ctx, tx, next);
  await changeSubscription(ctx, tx, subscription.id, {
    ...current(period),
    status: "active",
    nextChargeAt: next.dueAt,
  });
  if (subscription.status !== "active")
    await announce(ctx, tx, terms, "subscription.activated", null);
  return { kind: "done", release };
}

/** Under a test clock, an attempt that is not over by then is looked at once a day. */
async function awaitAttempt(
  ctx: Ctx,
  tx: Tx,
  { terms, period, attempts }: Locked,
  paymentId: string,
): Promise<Next> {
  const { subscription, now } = terms;
  await lookAgainAt(
    ctx,
    tx,
    period,
    subscription.testClockId === null ? minutesLater(now, lookAgainMinutes) : daysLater(now, 1),
  );
  // The period starts with its first charge. A payer's attempt at its link leaves the planned retry as it is.
  const isShown =
    subscription.nextChargeAt === null && subscription.currentPeriodStart === period.periodStart;
  if (paymentId === period.paymentId && !isShown)
    await changeSubscription(ctx, tx, subscription.id, { ...current(period), nextChargeAt: null });
  const payment = attempts.find(({ id }) => id === paymentId);
  return payment ? { kind: "await", payment } : done;
}

/** What became of the saved method that the period's charge failed with. */
async function methodAfter(
  ctx: Ctx,
  tx: Tx,
  { terms, period, attempts }: Locked,
): Promise<FailureFacts["method"]> {
  const { tokenizationId } = terms.subscription;
  if (tokenizationId === null) return "forgotten";
  const failed = attempts.find(({ id }) => id === period.paymentId);
  if (!failed?.flags.includes("resolved"))
    return failed?.tokenizationId === tokenizationId ? "kept" : "replaced";
  return methodAfterResolved(ctx, tx, terms, failed);
}

/** The same where staff ended the payment. What an earlier payer may have paid says nothing about a method of the present one, and is no reason to charge it. */
async function methodAfterResolved(
  ctx: Ctx,
  tx: Tx,
  { subscription: { tokenizationId, email } }: Terms,
  resolved: PaymentRow,
): Promise<"unconfirmed" | "forgotten"> {
  if (tokenizationId === null) return "forgotten";
  const method = resolved.tokenizationId && (await find(ctx, resolved.tokenizationId, tx));
  const isOfPayer = method
    ? normalAddress(method.email) === normalAddress(email)
    : !(await hasOtherPayerNow(ctx, tx, resolved));
  return isOfPayer ? "unconfirmed" : "forgotten";
}

/** The payer gets a link to pay. The method is tried again as the business has it, or no more. */
async function recordFailure(
  ctx: Ctx,
  tx: Tx,
  locked: Locked,
  failure: Pick<FailureFacts, "hard" | "method">,
): Promise<Next> {
  const { terms, period, link } = locked;
  const { subscription, now, retryDays } = terms;
  const firstFailedAt = period.firstFailedAt ?? now;
  const { status } = subscription;
  const decision = decideFailure({ now, status, firstFailedAt, retryDays, ...failure });
  if (decision.kind === "ask_payer") return askPayer(ctx, tx, locked);
  const isNewer = decision.kind === "charge_newer";
  const plannedAt = decision.kind === "retry" ? decision.at : null;
  const retryAt = isNewer ? now : plannedAt;
  await changePeriod(ctx, tx, period, {
    state: "open",
    attempts: period.attempts + 1,
    firstFailedAt,
    retryAt,
    overdueAt: null,
    dueAt: retryAt,
    nextAttemptAt: isNewer ? atOnce(period, now) : plannedAt && jitter(plannedAt, subscription),
    paymentLinkId: (link ?? (await issueLink(ctx, tx, terms, period))).id,
  });
  await changeSubscription(ctx, tx, subscription.id, {
    ...current(period),
    status: decision.kind === "halt" || status === "halted" ? "halted" : "past_due",
    nextChargeAt: retryAt,
  });
  const { event, mail } = decision.notice;
  return announce(ctx, tx, terms, event, mail);
}

/** There is no saved method of this payer: they get a link for the period. */
async function askPayer(ctx: Ctx, tx: Tx, { terms, period, link }: Locked): Promise<Next> {
  const overdueAt = daysLater(terms.now, overdueAfterDays);
  await changePeriod(ctx, tx, period, {
    state: "open",
    retryAt: null,
    overdueAt,
    dueAt: null,
    nextAttemptAt: overdueAt,
    paymentLinkId: (link ?? (await issueLink(ctx, tx, terms, period))).id,
  });
  await changeSubscription(ctx, tx, terms.subscription.id, {
    ...current(period),
    nextChargeAt: null,
  });
  return announce(ctx, tx, terms, "subscription.payment_due", "payment_due");
}

async function planNextLook(
  ctx: Ctx,
  tx: Tx,
  { terms, period }: Locked,
  overdueAt: string | null,
): Promise<Next> {
  const retryAt = period.retryAt && jitter(period.retryAt, terms.subscription);
  await changePeriod(ctx, tx, period, { overdueAt, nextAttemptAt: earliest(retryAt, overdueAt) });
  return done;
}

async function lookAgainAt(ctx: Ctx, tx: Tx, period: PeriodRow, moment: string): Promise<Next> {
  await changePeriod(ctx, tx, period, { nextAttemptAt: moment });
  return done;
}

const current = (period: PeriodRow) => ({
  currentPeriodStart: period.periodStart,
  currentPeriodEnd: period.periodEnd,
});

type Announced =
  | "subscription.activated"
  | "subscription.past_due"
  | "subscription.halted"
  | "subscription.payment_due";

async function announce(
  ctx: Ctx,
  tx: Tx,
  terms: Terms,
  type: Announced,
  mail: string | null,
): Promise<Next> {
  const { id } = terms.subscription;
  await emit(ctx, tx, { type, objectId: id, data: await get(ctx, id, tx), mail });
  return done;
}
