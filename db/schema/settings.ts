import { pgTable, text } from "drizzle-orm/pg-core";

/** When a backup was last put in place, ISO 8601 UTC: what happened between it and then is known to gateways alone. */
export const restoredKey = "restored_at";

/** What is left of the search for payments that were made after the backup that was put in place, as JSON; absent when it is done. */
export const paymentSearchKey = "payment_search";

/** Facts about the install itself, such as the check value of KUTIP_SECRET. No tenant's data. */
export const settings = pgTable("settings", {
  key: text().primaryKey(),
  value: text().notNull(),
});
