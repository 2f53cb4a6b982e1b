import { sql } from "drizzle-orm";
import { customType, integer, text } from "drizzle-orm/pg-core";
import { isoMicros } from "../lib/kernel/clock";

const isoTimestamp = customType<{ data: string; driverData: string }>({
  dataType: () => "timestamp (6) with time zone",
  fromDriver: isoMicros,
});

/** A moment: timestamptz(6), read and written as `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
export const at = (name: string) => isoTimestamp(name);

/** created_at and updated_at by the database's clock. */
export const stamps = () => ({
  createdAt: at("created_at").notNull().default(sql`now()`),
  updatedAt: at("updated_at").notNull().default(sql`now()`),
});

/** The moment a call counts as: of the test clock it runs under, else the database's. */
export const nowOf = (who: { readonly now?: string | undefined }) =>
  (who.now === undefined ? sql`now()` : sql`${who.now}::timestamptz`) as never;

/** Test and live records never meet in one answer. */
export const modes = ["test", "live"] as const;
export type Mode = (typeof modes)[number];

/** The owner of a record: every tenant table begins with these two. */
export const owner = () => ({
  businessId: integer("business_id").notNull(),
  mode: text("mode", { enum: modes }).notNull(),
});

/** 8 bytes that PostgreSQL gives every transaction; compared to tell which rows may still be joined by a late commit. */
export const xid8 = customType<{ data: string; driverData: string }>({ dataType: () => "xid8" });

/** Which transactions were over at a moment; compared to tell what happened after it from what a late commit only made seen. */
export const snapshot = customType<{ data: string; driverData: string }>({
  dataType: () => "pg_snapshot",
});

/** Bytes as they are. */
export const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/** SQL for a moment as the API writes it. */
export const isoSql = (moment: ReturnType<typeof sql>) =>
  sql<string>`to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
