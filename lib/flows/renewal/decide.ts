import type { Tx } from "@/db/client";
import type { Ctx } from "@/lib/domain/context";
import { emit } from "@/lib/domain/events/emit";
import { cancelPeriodLinks } from "@/lib/domain/payment-links/cancel";
import { type LinkRow, lockLink } from "@/lib/domain/payment-links/rows";
import { type PaymentRow, paymentsOfPeriod } from "@/lib/domain/payments/rows";
import { isLive } from "@/lib/domain/payments/rules";
import { get } from "@/lib/domain/subscriptions/get";
import {
  changePeriod,
  insertPeriod,
  type PeriodRow,
  type Terms,
  voidPeriods,
} from "@/lib/domain/subscriptions/period-rows";
import { dayIn, daysLater, periodOf } from "@/lib/domain/subscriptions/periods";
import {
  earliest,
  lookAgainMinutes,
  minutesLater,
  nextRetry,
  overdueAfterDays,
  plannedPeriod,
  jitter,
} from "@/lib/domain/subscriptions/plan";
import { changeSubscription } from "@/lib/domain/subscriptions/rows";
import { type Ask, beginCharge, type Charge, type Heard, issueLink } from "./begin";
import { flagUnneeded } from "./flag";

/** What remains to be done once the decision is committed: send this charge, ask the gateway whether it was made already, or close hosted pages nobody needs. */
export type Next = { charge?: Charge; ask?: Ask; waitsFor?: PaymentRow; release: string[] };

const nothing: Next = { release: [] };

/**
 * Looks at where a locked period stands and does the one next thing: settles it, writes a failure down, begins a charge, mails a link, or
 * plans when to look again. Only what the rows say counts, so whoever comes twice does nothing twice. `mayCharge` false leaves a charge to the next claim;
 * `told` is what the gateway said to `ask`.
 */
export async function decide(
  ctx: Ctx,
  tx: Tx,
  terms: Terms,
  period: PeriodRow,
  mayCharge: boolean,
  told?: Heard,
): Promise<Next> {
  const { subscription, now } = terms;
  if (period.state === "paid" || period.state === "void") return nothing;
  if (subscription.status === "cancel" || subscription.deletedAt !== null) {
    await voidPeriods(ctx, tx, subscription.id);
    return nothing;
  }
  const fresh =
    period.state === "due" && period.paymentId === null && period.paymentLinkId === null;
  const link =
    period.paymentLinkId === null ? undefined : await lockLink(ctx, tx, period.paymentLinkId, true);
  const attempts = fresh
    ? []
    : await paymentsOfPeriod(ctx, tx, subscription.id, period.periodStart);
  const paidBy = attempts.filter(
    (payment) => payment.succeededAt !== null && payment.flags.length === 0,
  );
  if (paidBy.length > 0 || link?.status === "Paid")
    return settlePaid(ctx, tx, terms, period, link, paidBy);

  const live = attempts.find((payment) => isLive(payment.status));
  if (live) {
    // Under a clock what is not over by then is looked at once a day.
    const again =
      subscription.testClockId === null ? minutesLater(now, lookAgainMinutes) : daysLater(now, 1);
    await changePeriod(ctx, tx, period, { nextAttemptAt: again });
    return { release: [], waitsFor: live };
  }
  const own = attempts.find((payment) => payment.id === period.paymentId);
  if (period.state === "charging" && own?.status === "failed") {
    await writeFailure(ctx, tx, terms, period, link, own.decline === "hard");
    return nothing;
  }
  // An attempt that was given up before the gateway had it is made anew.
  const wanted =
    period.state === "due" ||
    period.state === "charging" ||
    (period.retryAt !== null && period.retryAt <= now);
  if (!wanted) {
    await wait(ctx, tx, terms, period);
    return nothing;
  }
  if (!mayCharge) {
    await changePeriod(ctx, tx, period, { nextAttemptAt: now });
    return nothing;
  }
  const charge = await beginCharge(ctx, tx, terms, period, link, attempts, told);
  if (charge === "later") {
    await changePeriod(ctx, tx, period, { nextAttemptAt: minutesLater(now, lookAgainMinutes) });
    return nothing;
  }
  if (charge !== "none")
    return "ask" in charge ? { ...charge, release: [] } : { charge, release: [] };
  if (period.state === "open") await writeFailure(ctx, tx, terms, period, link, false);
  else await askPayer(ctx, tx, terms, period, link);
  return nothing;
}

/** The period is paid: the subscription is active, and the next period is planned. */
async function settlePaid(
  ctx: Ctx,
  tx: Tx,
  terms: Terms,
  period: PeriodRow,
  link: LinkRow | undefined,
  paidBy: readonly PaymentRow[],
): Promise<Next> {
  const { subscription, now } = terms;
  await changePeriod(ctx, tx, period, {
    state: "paid",
    paymentId: paidBy.at(-1)?.id ?? period.paymentId,
    retryAt: null,
    overdueAt: null,
    dueAt: null,
    nextAttemptAt: null,
  });
  if (paidBy.length > 1)
    await flagUnneeded(
      tx,
      paidBy.map(({ id }) => id),
      ctx.requestId,
    );
  const release =
    link?.status === "Active" ? await cancelPeriodLinks(ctx, tx, subscription.id) : [];
  // Periods that went by while it was halted are let go; after an outage of ours each one is charged.
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
  if (subscription.status !== "active") await tell(ctx, tx, terms, "subscription.activated", null);
  return { release };
}

/** A charge failed, or there was no method to retry it with: a link to pay, and another try as the business has it, or the end of trying. */
async function writeFailure(
  ctx: Ctx,
  tx: Tx,
  terms: Terms,
  period: PeriodRow,
  link: LinkRow | undefined,
  hard: boolean,
): Promise<void> {
  const { subscription, now } = terms;
  const firstFailedAt = period.firstFailedAt ?? now;
  const retryAt =
    hard || subscription.status === "halted"
      ? null
      : nextRetry(firstFailedAt, terms.retryDays, now);
  const status = retryAt === null ? "halted" : "past_due";
  await changePeriod(ctx, tx, period, {
    state: "open",
    attempts: period.attempts + 1,
    firstFailedAt,
    retryAt,
    overdueAt: null,
    dueAt: retryAt,
    nextAttemptAt: retryAt && jitter(retryAt, subscription),
    paymentLinkId: (link ?? (await issueLink(ctx, tx, terms, period))).id,
  });
  await changeSubscription(ctx, tx, subscription.id, {
    ...current(period),
    status,
    nextChargeAt: retryAt,
  });
  if (status === "halted" && subscription.status !== "halted")
    await tell(ctx, tx, terms, "subscription.halted", "subscription_halted");
  else
    await tell(
      ctx,
      tx,
      terms,
      subscription.status === status ? "subscription.payment_due" : "subscription.past_due",
      "payment_failed",
    );
}

/** There is no saved method: the payer gets a link for the period. */
async function askPayer(
  ctx: Ctx,
  tx: Tx,
  terms: Terms,
  period: PeriodRow,
  link: LinkRow | undefined,
): Promise<void> {
  const overdueAt = daysLater(terms.now, overdueAfterDays);
  await changePeriod(ctx, tx, period, {
    state: "open",
    overdueAt,
    dueAt: null,
    nextAttemptAt: overdueAt,
    paymentLinkId: (link ?? (await issueLink(ctx, tx, terms, period))).id,
  });
  await changeSubscription(ctx, tx, terms.subscription.id, {
    ...current(period),
    nextChargeAt: null,
  });
  await tell(ctx, tx, terms, "subscription.payment_due", "payment_due");
}

/** Nothing to charge now: an unpaid link may have become overdue, and the next look is planned. */
async function wait(ctx: Ctx, tx: Tx, terms: Terms, period: PeriodRow): Promise<void> {
  const { subscription, now } = terms;
  const overdue = period.overdueAt !== null && period.overdueAt <= now;
  const overdueAt = overdue ? null : period.overdueAt;
  const retryAt = period.retryAt && jitter(period.retryAt, subscription);
  await changePeriod(ctx, tx, period, { overdueAt, nextAttemptAt: earliest(retryAt, overdueAt) });
  if (!overdue || (subscription.status !== "active" && subscription.status !== "created")) return;
  await changeSubscription(ctx, tx, subscription.id, { status: "past_due" });
  await tell(ctx, tx, terms, "subscription.past_due", "payment_overdue");
}

const current = (period: PeriodRow) => ({
  currentPeriodStart: period.periodStart,
  currentPeriodEnd: period.periodEnd,
});

type Told =
  | "subscription.activated"
  | "subscription.past_due"
  | "subscription.halted"
  | "subscription.payment_due";

async function tell(
  ctx: Ctx,
  tx: Tx,
  terms: Terms,
  type: Told,
  mail: string | null,
): Promise<void> {
  const { id } = terms.subscription;
  await emit(ctx, tx, { type, objectId: id, data: await get(ctx, id, tx), mail });
}
