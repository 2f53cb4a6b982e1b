import { sql } from "drizzle-orm";
import { integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { at } from "../columns";

/** One row a worker process: when it was last seen at work. Old rows are swept. */
export const workers = pgTable("workers", {
  id: text("id").primaryKey(),
  pid: integer("pid").notNull(),
  startedAt: at("started_at").notNull().default(sql`now()`),
  /** Seconds of the database clock at which it last finished a piece of each kind of work without an error. */
  progress: jsonb("progress").$type<Record<string, number>>().notNull().default({}),
  /** Rows of each kind of work that it finishes in a second, of late. */
  rates: jsonb("rates").$type<Record<string, number>>().notNull().default({}),
  seenAt: at("seen_at").notNull().default(sql`now()`),
});
