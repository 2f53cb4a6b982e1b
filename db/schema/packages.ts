import { sql } from "drizzle-orm";
import { check, date, integer, pgTable, primaryKey, text, index } from "drizzle-orm/pg-core";
import { at, owner, stamps } from "../columns";
import { frequencies, packageStatuses } from "../../lib/contract/values";
import { tenantRules } from "./keys";
import { versioned } from "./versions";

export const packages = pgTable(
  "packages",
  {
    ...owner(),
    id: text("id").notNull(),
    name: text("name").notNull(),
    description: text("description"),
    amount: integer("amount").notNull(),
    currency: text("currency").notNull(),
    frequency: text("frequency", { enum: frequencies }).notNull(),
    /** The anchor of every period, `YYYY-MM-DD` in the business's zone. */
    dateChargeStart: date("date_charge_start", { mode: "string" }).notNull(),
    status: text("status", { enum: packageStatuses }).notNull().default("active"),
    /** Subscriptions ever made: freezes amount, frequency, currency and start. */
    subscribedCount: integer("subscribed_count").notNull().default(0),
    /** Subscriptions not cancelled: forbids deletion. */
    liveCount: integer("live_count").notNull().default(0),
    ...versioned(),
    deletedAt: at("deleted_at"),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    index("packages_newest")
      .on(t.businessId, t.mode, t.createdAt, t.id)
      .where(sql`${t.deletedAt} is null`),
    check("packages_amount_range", sql`${t.amount} between 500 and 3000000`),
    check("packages_name_length", sql`char_length(${t.name}) between 1 and 100`),
    ...tenantRules(t),
    check("packages_live_count", sql`${t.liveCount} >= 0`),
  ],
);
