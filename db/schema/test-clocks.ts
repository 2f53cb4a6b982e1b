import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { sql } from "drizzle-orm";
import { at, claims, owner, stamps } from "../columns";
import { tenantRules } from "./keys";

/** A clock that test-mode subscriptions follow instead of the real one. Its own stamps and lease run on real time. */
export const testClocks = pgTable(
  "test_clocks",
  {
    ...owner(),
    id: text("id").notNull(),
    name: text("name").notNull(),
    time: at("time").notNull(),
    /** The target of the advance that is under way, waits or is paused; null while the clock is ready. */
    advancingTo: at("advancing_to"),
    /** The clock's time when the advance began: its progress is measured from here. */
    advanceFrom: at("advance_from"),
    /** One advance of a business runs at a time, in this order. Tells an advance from a later one. */
    advanceRequestedAt: at("advance_requested_at"),
    /** Periods that the advance has worked since it was requested. */
    advancePeriods: integer("advance_periods").notNull().default(0),
    advancePausedAt: at("advance_paused_at"),
    /** When a worker may take the next slice of the advance. */
    nextSliceAt: at("next_slice_at"),
    ...claims(),
    deletedAt: at("deleted_at"),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    index("test_clocks_newest")
      .on(t.businessId, t.mode, t.createdAt, t.id)
      .where(sql`${t.deletedAt} is null`),
    index("test_clocks_advancing")
      .on(t.businessId, t.advanceRequestedAt, t.id)
      .where(sql`${t.advancingTo} is not null and ${t.deletedAt} is null`),
    ...tenantRules(t),
  ],
);
