import { pgTable, text } from "drizzle-orm/pg-core";

/** Facts about the install itself, such as the check value of KUTIP_SECRET. No tenant's data. */
export const settings = pgTable("settings", {
  key: text().primaryKey(),
  value: text().notNull(),
});
