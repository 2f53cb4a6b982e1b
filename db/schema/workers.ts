import { sql } from "drizzle-orm";
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { at } from "../columns";

/** One row a worker process: when it was last seen at work. Old rows are swept. */
export const workers = pgTable("workers", {
  id: text("id").primaryKey(),
  pid: integer("pid").notNull(),
  startedAt: at("started_at").notNull().default(sql`now()`),
  seenAt: at("seen_at").notNull().default(sql`now()`),
});
