import { bigint, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { sql } from "drizzle-orm";
import { at, owner, stamps } from "../columns";

/** A clock that test-mode subscriptions follow instead of the real one. Its own stamps and lease run on real time. */
export const testClocks = pgTable(
  "test_clocks",
  {
    ...owner(),
    id: text("id").notNull(),
    name: text("name").notNull(),
    time: at("time").notNull(),
    /** Where an advance is on its way to; null while the clock stands. */
    advancingTo: at("advancing_to"),
    leasedUntil: at("leased_until"),
    fence: bigint("fence", { mode: "number" }).notNull().default(0),
    deletedAt: at("deleted_at"),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    index("test_clocks_newest")
      .on(t.businessId, t.mode, t.createdAt, t.id)
      .where(sql`${t.deletedAt} is null`),
  ],
);
