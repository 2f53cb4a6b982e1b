import { sql } from "drizzle-orm";
import { date, foreignKey, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { at, owner, stamps } from "../columns";
import { subscriptionStatuses } from "../../lib/contract/values";
import { tenantRules } from "./keys";
import { packages } from "./packages";
import { testClocks } from "./test-clocks";
import { tokenizations } from "./tokenizations";
import { versioned } from "./versions";

export const subscriptions = pgTable(
  "subscriptions",
  {
    ...owner(),
    id: text("id").notNull(),
    packageId: text("package_id").notNull(),
    email: text("email").notNull(),
    phoneNo: text("phone_no"),
    /** Since when the e-mail is this payer's, in real time also under a test clock; null: since it was created. */
    payerSince: at("payer_since"),
    status: text("status", { enum: subscriptionStatuses }).notNull().default("created"),
    /** The payer's saved method; changing the e-mail clears it. */
    tokenizationId: text("tokenization_id"),
    /** First day of the first period, in the business's zone: all later ones are computed from it. */
    anchor: date("anchor", { mode: "string" }).notNull(),
    /** First and last day of the latest started period; null before the first. */
    currentPeriodStart: date("current_period_start", { mode: "string" }),
    currentPeriodEnd: date("current_period_end", { mode: "string" }),
    /** When the saved method is charged next, or the next link is mailed; null when nothing is planned. */
    nextChargeAt: at("next_charge_at"),
    testClockId: text("test_clock_id"),
    ...versioned(),
    cancelledAt: at("cancelled_at"),
    deletedAt: at("deleted_at"),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    index("subscriptions_newest")
      .on(t.businessId, t.mode, t.createdAt, t.id)
      .where(sql`${t.deletedAt} is null`),
    index("subscriptions_status")
      .on(t.businessId, t.mode, t.status)
      .where(sql`${t.deletedAt} is null`),
    index("subscriptions_package").on(t.businessId, t.packageId),
    index("subscriptions_clock")
      .on(t.businessId, t.testClockId)
      .where(sql`${t.testClockId} is not null`),
    index("subscriptions_email").on(t.businessId, t.mode, sql`lower(${t.email})`),
    ...tenantRules(t),
    foreignKey({
      columns: [t.businessId, t.packageId],
      foreignColumns: [packages.businessId, packages.id],
    }),
    foreignKey({
      columns: [t.businessId, t.testClockId],
      foreignColumns: [testClocks.businessId, testClocks.id],
    }),
    foreignKey({
      columns: [t.businessId, t.tokenizationId],
      foreignColumns: [tokenizations.businessId, tokenizations.id],
    }),
  ],
);
