import { pgTable, text } from "drizzle-orm/pg-core";

/** When a backup was last put in place, ISO 8601 UTC: what happened between it and then is known to gateways alone. */
export const restoredKey = "restored_at";

/** Facts about the install itself, such as the check value of KUTIP_SECRET. No tenant's data. */
export const settings = pgTable("settings", {
  key: text().primaryKey(),
  value: text().notNull(),
});
