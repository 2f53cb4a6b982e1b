import { sql } from "drizzle-orm";
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { at } from "../columns";

/**
 * What callers have taken of their limits in the present window. The migration makes the table UNLOGGED: a count costs no WAL and waits for
 * no standby, and a crash or failover starts all windows anew. Old rows are swept.
 */
export const rateLimits = pgTable("rate_limits", {
  /** A digest of limit and caller. */
  key: text("key").primaryKey(),
  points: integer("points").notNull(),
  /** The points that the last call took; 0 when it was refused. */
  taken: integer("taken").notNull(),
  endsAt: at("ends_at").notNull().default(sql`now()`),
});
