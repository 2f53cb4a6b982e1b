import { sql } from "drizzle-orm";
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { at } from "../columns";

/** One row a process that can seal: web, worker, or a command. It says so every few seconds; old rows are swept. */
export const processes = pgTable("processes", {
  id: text("id").primaryKey(),
  kind: text("kind").notNull(),
  pid: integer("pid").notNull(),
  host: text("host").notNull(),
  /** The ids of the secrets that it knows. */
  keys: text("keys").array().notNull(),
  /** The id of the secret that it seals with. */
  sealsWith: text("seals_with").notNull(),
  /** That of its program. A process without one is of a version before this column: a trigger notes when it was seen. */
  version: text("version"),
  startedAt: at("started_at").notNull().default(sql`now()`),
  seenAt: at("seen_at").notNull().default(sql`now()`),
});
