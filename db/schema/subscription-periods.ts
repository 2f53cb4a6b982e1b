import { sql } from "drizzle-orm";
import {
  check,
  date,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { at, claims, owner, stamps } from "../columns";
import { tenantRules } from "./keys";
import { paymentLinks } from "./payment-links";
import { payments } from "./payments";
import { subscriptions } from "./subscriptions";
import { testClocks } from "./test-clocks";

/** `due`: to be charged. `charging`: an attempt is not over. `open`: waits for the payer, a retry or a new method. `paid`, `void`: over. */
export const periodStates = ["due", "charging", "open", "paid", "void"] as const;
export type PeriodState = (typeof periodStates)[number];

/** The periods of a subscription as they come up: the next row is made when the one before is paid, so at most one is not over. */
export const subscriptionPeriods = pgTable(
  "subscription_periods",
  {
    ...owner(),
    subscriptionId: text("subscription_id").notNull(),
    /** In the business's zone; first and last day. */
    periodStart: date("period_start", { mode: "string" }).notNull(),
    periodEnd: date("period_end", { mode: "string" }).notNull(),
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
    /** When a worker has to check it next: by the clock it is bound to, else by the database's. */
    nextAttemptAt: at("next_attempt_at"),
    ...claims(),
    testClockId: text("test_clock_id"),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.subscriptionId, t.periodStart] }),
    uniqueIndex("subscription_periods_one_open")
      .on(t.businessId, t.subscriptionId)
      .where(sql`${t.state} in ('due', 'charging', 'open')`),
    index("subscription_periods_due_of")
      .on(t.businessId, t.nextAttemptAt)
      .where(sql`${t.nextAttemptAt} is not null and ${t.testClockId} is null`),
    index("subscription_periods_clock")
      .on(t.businessId, t.testClockId, t.nextAttemptAt)
      .where(sql`${t.nextAttemptAt} is not null and ${t.testClockId} is not null`),
    foreignKey({
      columns: [t.businessId, t.subscriptionId],
      foreignColumns: [subscriptions.businessId, subscriptions.id],
    }),
    foreignKey({
      columns: [t.businessId, t.paymentId],
      foreignColumns: [payments.businessId, payments.id],
    }),
    foreignKey({
      columns: [t.businessId, t.paymentLinkId],
      foreignColumns: [paymentLinks.businessId, paymentLinks.id],
    }),
    foreignKey({
      columns: [t.businessId, t.testClockId],
      foreignColumns: [testClocks.businessId, testClocks.id],
    }),
    ...tenantRules(t),
    check(
      "subscription_periods_over",
      sql`${t.state} not in ('paid', 'void') or ${t.nextAttemptAt} is null`,
    ),
    check("subscription_periods_days", sql`${t.periodEnd} >= ${t.periodStart}`),
  ],
);
