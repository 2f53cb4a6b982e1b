import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { tenantRules } from "./keys";

/**
 * The keys that seal payers' personal fields in events and mails. A payer has one for each payment link and one for other records;
 * an erasure deletes them all, and what they sealed can never be read again.
 */
export const payerKeys = pgTable(
  "payer_keys",
  {
    businessId: integer("business_id").notNull(),
    id: text("id").notNull(),
    /** Digest of business and e-mail address, without case. */
    payer: text("payer").notNull(),
    /** 32 random bytes, sealed. */
    key: text("key").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    index("payer_keys_payer").on(t.businessId, t.payer, t.id),
    ...tenantRules(t),
  ],
);
