import { sql } from "drizzle-orm";
import { check, index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { owner, stamps } from "../columns";
import { searchIndex, textsOf } from "../texts";
import { tenantRules } from "./keys";
import { versioned } from "./versions";

/** A payer as staff know them, once for each address. Triggers of links, tokenizations and subscriptions write a row for a new address. */
export const customers = pgTable(
  "customers",
  {
    ...owner(),
    id: text("id").notNull(),
    email: text("email").notNull(),
    name: text("name"),
    phoneNo: text("phone_no"),
    /** For staff and API keys alone: neither viewers nor events have it. */
    notes: text("notes"),
    /** A BCP 47 tag. */
    language: text("language"),
    ...versioned(),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    uniqueIndex("customers_email").on(t.businessId, t.mode, sql`lower(${t.email})`),
    index("customers_newest").on(t.businessId, t.mode, t.createdAt, t.id),
    index("customers_texts")
      .using(
        "gin",
        sql`(${textsOf([t.email, t.name, t.phoneNo])}) gin_trgm_ops`,
        t.businessId,
        t.mode,
      )
      .with(searchIndex),
    ...tenantRules(t),
    check("customers_name_length", sql`char_length(${t.name}) between 1 and 100`),
    check("customers_notes_length", sql`char_length(${t.notes}) between 1 and 5000`),
    check("customers_language_length", sql`char_length(${t.language}) between 2 and 35`),
  ],
);
