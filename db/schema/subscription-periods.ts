import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { at, owner, stamps } from "../columns";
import { subscriptions } from "./subscriptions";

/** `due`: to be charged. `charging`: an attempt is not over. `open`: waits for the payer, a retry or a new method. `paid`, `void`: over. */
export const periodStates = ["due", "charging", "open", "paid", "void"] as const;
export type PeriodState = (typeof periodStates)[number];

/** The periods of a subscription as they come up: the next row is made when the one before is paid, so at most one is not over. */
export const subscriptionPeriods = pgTable(
  "subscription_periods",
  {
    ...owner(),
    subscriptionId: text("subscription_id").notNull(),
    /** `YYYY-MM-DD` in the business's zone; first and last day. */
    periodStart: text("period_start").notNull(),
    periodEnd: text("period_end").notNull(),
    /** Counted from the subscription's anchor, from 0. */
    number: integer("number").notNull(),
    state: text("state", { enum: periodStates }).notNull().default("due"),
    /** Failed charges so far, and when the first one failed: retries are counted from there. */
    attempts: integer("attempts").notNull().default(0),
    firstFailedAt: at("first_failed_at"),
    retryAt: at("retry_at"),
    /** When an unpaid link makes the subscription past due. */
    overdueAt: at("overdue_at"),
    /** The engine's own attempt at it, at last the payment that paid it. */
    paymentId: text("payment_id"),
    paymentLinkId: text("payment_link_id"),
    /** When it is to be charged next, without jitter; null while it only waits. */
    dueAt: at("due_at"),
    /** When somebody has to look at it next: by the clock it is bound to, else by the database's. */
    nextAttemptAt: at("next_attempt_at"),
    leasedUntil: at("leased_until"),
    /** Goes up with every claim: a worker that was thought dead finds another number and leaves the row alone. */
    fence: bigint("fence", { mode: "number" }).notNull().default(0),
    testClockId: text("test_clock_id"),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.subscriptionId, t.periodStart] }),
    uniqueIndex("subscription_periods_one_open")
      .on(t.businessId, t.subscriptionId)
      .where(sql`${t.state} in ('due', 'charging', 'open')`),
    index("subscription_periods_due")
      .on(t.nextAttemptAt)
      .where(sql`${t.nextAttemptAt} is not null and ${t.testClockId} is null`),
    index("subscription_periods_clock")
      .on(t.businessId, t.testClockId, t.nextAttemptAt)
      .where(sql`${t.nextAttemptAt} is not null and ${t.testClockId} is not null`),
    foreignKey({
      columns: [t.businessId, t.subscriptionId],
      foreignColumns: [subscriptions.businessId, subscriptions.id],
    }),
    check(
      "subscription_periods_over",
      sql`${t.state} not in ('paid', 'void') or ${t.nextAttemptAt} is null`,
    ),
    check(
      "subscription_periods_days",
      sql`${t.periodStart} ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' and ${t.periodEnd} >= ${t.periodStart}`,
    ),
  ],
);
