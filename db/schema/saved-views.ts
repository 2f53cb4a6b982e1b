import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { savedLists } from "../../lib/contract/values";
import { stamps } from "../columns";
import { users } from "./auth";
import { tenantRules } from "./keys";

/** Filters, order and columns of a list under a name, of both modes. */
export const savedViews = pgTable(
  "saved_views",
  {
    businessId: integer("business_id").notNull(),
    id: text("id").notNull(),
    userId: uuid("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    list: text("list", { enum: savedLists }).notNull(),
    name: text("name").notNull(),
    /** May name a payer: an erasure deletes such views. */
    filters: jsonb("filters").$type<Record<string, string>>().notNull(),
    sort: text("sort"),
    columns: jsonb("columns").$type<string[]>(),
    /** For the whole team, else for the one who saved it. */
    shared: boolean("shared").notNull(),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    index("saved_views_of_list").on(t.businessId, t.list, t.userId),
    ...tenantRules(t),
  ],
);
