import { createHash } from "node:crypto";
import { derivedId, newId } from "@/lib/kernel/ids";
import type { Ctx } from "../context";
import type { PackageRow } from "../packages/rows";
import { type Day, dayIn, daysLater, periodEnd, periodStart, startOfDay } from "./periods";
import type { Anchored, NewPeriod, PeriodRow, Terms } from "./period-rows";

/** Over how long renewals that begin at the same midnight are spread, so that the gateway is not hammered. */
const JITTER_MS = 600_000;

/** An unpaid link makes its subscription past due after so many days. */
export const overdueAfterDays = 3;

/** How long an attempt without an outcome is left alone before the worker looks again. Its outcome makes the period due at once. */
export const lookAgainMinutes = 10;

/** A moment pushed back by the subscription's own share of the jitter, always the same share. Under a test clock moments are exact. */
export function jitter(moment: string, subscription: Anchored): string {
  if (subscription.testClockId !== null) return moment;
  const share = createHash("sha256").update(subscription.id).digest().readUInt32BE(0) / 2 ** 32;
  return minutesLater(moment, (share * JITTER_MS) / 60_000);
}

/** A moment so many minutes later, both ISO 8601 UTC with six digits. */
export function minutesLater(moment: string, minutes: number): string {
  return `${new Date(Date.parse(moment) + Math.round(minutes * 60_000)).toISOString().slice(0, -1)}000Z`;
}

/** The moment that makes a period due at once. Under a test clock it is the one that says that the period has news: `periodWithNews`. */
export const atOnce = (
  { testClockId, createdAt }: Pick<PeriodRow, "testClockId" | "createdAt">,
  now: string,
): string => (testClockId === null ? now : createdAt);

/** The anchor of a new subscription: the later of the package's start and today in the business's zone. */
export function anchorOf(
  pack: Pick<PackageRow, "dateChargeStart">,
  timeZone: string,
  now: string,
): Day {
  return [pack.dateChargeStart, dayIn(timeZone, now)].sort()[1] as Day;
}

/** Period `number` as it is planned at `now`: a future period is due when it starts, a started one is due now. */
export function plannedPeriod(
  terms: Pick<Terms, "package" | "timeZone" | "now"> & { subscription: Anchored },
  number: number,
): NewPeriod {
  const {
    subscription,
    package: { frequency },
  } = terms;
  const start = periodStart(subscription.anchor, frequency, number);
  const begins = startOfDay(terms.timeZone, start);
  // The first period of a subscription made during its first day is due from then on.
  const dueAt = number === 0 && begins < terms.now ? terms.now : begins;
  return {
    subscriptionId: subscription.id,
    number,
    periodStart: start,
    periodEnd: periodEnd(subscription.anchor, frequency, number),
    dueAt,
    nextAttemptAt: dueAt > terms.now ? jitter(dueAt, subscription) : dueAt,
    testClockId: subscription.testClockId,
  };
}

/** When a failed charge is tried again: at the next of the business's days, counted from the first failure, that is still to come; null when none is. */
export function nextRetry(
  firstFailedAt: string,
  retryDays: readonly number[],
  now: string,
): string | null {
  return (
    retryDays.map((days) => daysLater(firstFailedAt, days)).find((moment) => moment > now) ?? null
  );
}

const dayMs = 86_400_000;

/**
 * The id of the attempt after `before` others with a saved method; also its key at the gateway. It is derived, so it stays the same after a
 * restore of an older backup. Under a test clock it is a random id, because the clock's days are arbitrary.
 */
export function attemptId(ctx: Ctx, subscription: Anchored, day: Day, before: number): string {
  if (subscription.testClockId !== null) return newId();
  return derivedId(Date.parse(day) - dayMs, ctx.businessId, ctx.mode, subscription.id, day, before);
}

/** The title of a period's payments and link, which is shorter than a package's name may be. */
export const titleOf = (terms: Terms) => [...terms.package.name].slice(0, 50).join("");

/** More attempts than a period ever has. */
const MAX_ATTEMPTS = 100;

/** The first day of the period that an attempt with this id charges; undefined when it is no attempt at this subscription. */
export function dayOfAttempt(ctx: Ctx, subscription: Anchored, id: string): Day | undefined {
  const day = new Date(Number.parseInt(id.slice(0, 8), 16) * 1_000 + dayMs)
    .toISOString()
    .slice(0, 10);
  for (let before = 0; before < MAX_ATTEMPTS; before++)
    if (attemptId(ctx, subscription, day, before) === id) return day;
  return undefined;
}

/** The id of a period's payment link, derived like the ids of its attempts: after a restore the payer gets the address that they had. */
export function periodLinkId(ctx: Ctx, subscription: Anchored, day: Day): string {
  if (subscription.testClockId !== null) return newId();
  return derivedId(Date.parse(day) - dayMs, ctx.businessId, ctx.mode, subscription.id, day, "link");
}

/** Where a day begins first. */
const EARLIEST_ZONE = "Etc/GMT-14";

/**
 * Whether a period may have been charged after the backup that was put in place since: the gateway is asked before it is charged. The business may
 * have had another time zone then.
 */
export const mayBeCharged = (
  { restoredAt, subscription }: Pick<Terms, "restoredAt"> & { subscription: Anchored },
  day: Day,
): boolean =>
  restoredAt !== null &&
  subscription.testClockId === null &&
  startOfDay(EARLIEST_ZONE, day) <= restoredAt;

/** The earliest of some moments; null without any. */
export const earliest = (...moments: Array<string | null>): string | null =>
  moments.filter((moment) => moment !== null).sort()[0] ?? null;
