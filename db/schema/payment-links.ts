import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import { at, claims, owner, stamps } from "../columns";
import type { Reminder } from "../../lib/contract/reminders";
import { linkStatuses } from "../../lib/contract/values";
import { searchIndex, textsOf } from "../texts";
import { tenantRules } from "./keys";
import { subscriptions } from "./subscriptions";
import { testClocks } from "./test-clocks";
import { versioned } from "./versions";

export const paymentLinks = pgTable(
  "payment_links",
  {
    ...owner(),
    id: text("id").notNull(),
    email: text("email").notNull(),
    currency: text("currency").notNull(),
    /** Minor units. */
    amount: integer("amount").notNull(),
    title: text("title").notNull(),
    phoneNo: text("phone_no"),
    description: text("description"),
    redirectUrl: text("redirect_url"),
    reference: text("reference"),
    reference2: text("reference_2"),
    sendEmail: boolean("send_email").notNull().default(true),
    status: text("status", { enum: linkStatuses }).notNull().default("Active"),
    /** The form of the payer's page carries `version`: it goes up with every change that the payer would see. */
    ...versioned(),
    expiresAt: at("expires_at"),
    dueAt: at("due_at"),
    reminders: jsonb("reminders").$type<Reminder[]>(),
    /** The business's default, as it was when the link was created. */
    defaultReminders: jsonb("default_reminders").$type<Reminder[]>(),
    /** The morning of the next reminder. */
    nextReminderAt: at("next_reminder_at"),
    /** The reminders that were sent or passed over, by their keys. */
    remindersDone: text("reminders_done").array(),
    /** The attempt in flight, written by payments under this row's lock: no change and no second attempt while it is set. References payments by a migration: the tables refer to each other. */
    openPaymentId: text("open_payment_id"),
    /** Set on a period's link: it refuses PUT and DELETE. */
    subscriptionId: text("subscription_id"),
    periodStart: date("period_start", { mode: "string" }),
    periodEnd: date("period_end", { mode: "string" }),
    /** In test mode: its due date, expiry and reminders go by this clock. */
    testClockId: text("test_clock_id"),
    /** The import that created the link; several calls may share one. */
    importId: text("import_id"),
    /** The shop plugin that created the link. References integrations by a migration: their callbacks refer to links. */
    integrationId: text("integration_id"),
    /** A mail server accepted a mail that asks for the payment. */
    mailed: boolean("mailed").notNull().default(false),
    firstOpenedAt: at("first_opened_at"),
    /** A payment was started or recorded. A trigger sets it. */
    tried: boolean("tried").notNull().default(false),
    paidAt: at("paid_at"),
    deletedAt: at("deleted_at"),
    ...claims(),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    index("payment_links_newest")
      .on(t.businessId, t.mode, t.createdAt, t.id)
      .where(sql`${t.deletedAt} is null`),
    index("payment_links_amount")
      .on(t.businessId, t.mode, t.amount, t.id)
      .where(sql`${t.deletedAt} is null`),
    index("payment_links_status")
      .on(t.businessId, t.mode, t.status, t.createdAt, t.id)
      .where(sql`${t.deletedAt} is null`),
    index("payment_links_email")
      .on(t.businessId, t.mode, sql`lower(${t.email})`, t.createdAt)
      .where(sql`${t.deletedAt} is null`),
    index("payment_links_deleted_email")
      .on(t.businessId, t.mode, sql`lower(${t.email})`)
      .where(sql`${t.deletedAt} is not null`),
    index("payment_links_reference")
      .on(t.businessId, t.mode, t.reference)
      .where(sql`${t.reference} is not null`),
    index("payment_links_reference_2")
      .on(t.businessId, t.mode, t.reference2, t.createdAt, t.id)
      .where(sql`${t.reference2} is not null and ${t.deletedAt} is null`)
      .concurrently(),
    index("payment_links_currency")
      .on(t.businessId, t.mode, t.currency, t.createdAt, t.id)
      .where(sql`${t.deletedAt} is null`)
      .concurrently(),
    index("payment_links_texts")
      .using(
        "gin",
        sql`(${textsOf([t.title, t.email, t.reference, t.reference2])}) gin_trgm_ops`,
        t.businessId,
        t.mode,
      )
      .where(sql`${t.deletedAt} is null`)
      .with(searchIndex)
      .concurrently(),
    index("payment_links_expiring")
      .on(t.businessId, t.expiresAt)
      .where(sql`${t.status} = 'Active' and ${t.expiresAt} is not null and ${t.deletedAt} is null`),
    index("payment_links_due")
      .on(t.businessId, t.mode, t.dueAt, t.createdAt, t.id)
      .where(
        sql`${t.status} in ('Active', 'Processing') and ${t.dueAt} is not null and ${t.deletedAt} is null`,
      )
      .concurrently(),
    index("payment_links_reminders")
      .on(t.businessId, t.nextReminderAt)
      .where(
        sql`${t.status} = 'Active' and ${t.nextReminderAt} is not null and ${t.deletedAt} is null`,
      )
      .concurrently(),
    // Like the two of due work above, which processes of the version before use: drop those one release later.
    index("payment_links_expiring_now")
      .on(t.businessId, t.expiresAt)
      .where(
        sql`${t.status} = 'Active' and ${t.expiresAt} is not null and ${t.testClockId} is null and ${t.deletedAt} is null`,
      )
      .concurrently(),
    index("payment_links_reminders_now")
      .on(t.businessId, t.nextReminderAt)
      .where(
        sql`${t.status} = 'Active' and ${t.nextReminderAt} is not null and ${t.testClockId} is null and ${t.deletedAt} is null`,
      )
      .concurrently(),
    index("payment_links_clock")
      .on(
        t.businessId,
        t.testClockId,
        sql`(case when ${t.status} = 'Active' then least(${t.nextReminderAt}, ${t.expiresAt}) end)`,
      )
      .where(sql`${t.testClockId} is not null and ${t.deletedAt} is null`)
      .concurrently(),
    index("payment_links_subscription")
      .on(t.businessId, t.subscriptionId, t.periodStart)
      .where(sql`${t.subscriptionId} is not null`),
    index("payment_links_import")
      .on(t.businessId, t.mode, t.importId, t.createdAt, t.id)
      .where(sql`${t.importId} is not null and ${t.deletedAt} is null`),
    index("payment_links_integration")
      .on(t.businessId, t.mode, t.integrationId, t.createdAt, t.id)
      .where(sql`${t.integrationId} is not null and ${t.deletedAt} is null`)
      .concurrently(),
    ...tenantRules(t),
    foreignKey({
      columns: [t.businessId, t.subscriptionId],
      foreignColumns: [subscriptions.businessId, subscriptions.id],
    }),
    foreignKey({
      columns: [t.businessId, t.testClockId],
      foreignColumns: [testClocks.businessId, testClocks.id],
    }),
    check("payment_links_amount_range", sql`${t.amount} between 500 and 3000000`),
    check("payment_links_title_length", sql`char_length(${t.title}) between 1 and 50`),
    check(
      "payment_links_reference_length",
      sql`char_length(${t.reference}) <= 50 and char_length(${t.reference2}) <= 50`,
    ),
    check("payment_links_currency_shape", sql`${t.currency} ~ '^[A-Z]{3}$'`),
  ],
);
