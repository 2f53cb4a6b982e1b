import { sql } from "drizzle-orm";
import { index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { at, modes } from "../columns";

/** The outbox. Payer mails belong to a business and may be read by its staff; account mails (business null) only by the operator. */
export const mails = pgTable(
  "mails",
  {
    id: text("id").notNull(),
    businessId: integer("business_id"),
    mode: text("mode", { enum: modes }),
    kind: text("kind").notNull(),
    /** What asked for it: one mail a cause and kind. */
    cause: text("cause").notNull(),
    objectId: text("object_id"),
    recipient: text("recipient").notNull(),
    subject: text("subject").notNull(),
    /** Sealed: account mails hold addresses that are secrets. */
    html: text("html").notNull(),
    text: text("text").notNull(),
    status: text("status", { enum: ["queued", "waiting", "sent", "kept", "failed", "unknown"] })
      .notNull()
      .default("queued"),
    tries: integer("tries").notNull().default(0),
    error: text("error"),
    nextTryAt: at("next_try_at"),
    leasedUntil: at("leased_until"),
    sentAt: at("sent_at"),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.id] }),
    uniqueIndex("mails_once").on(t.cause, t.kind),
    index("mails_business").on(t.businessId, t.mode, t.createdAt, t.id),
    index("mails_failed").on(t.businessId, t.mode, t.createdAt).where(sql`${t.status} = 'failed'`),
    index("mails_object").on(t.businessId, t.objectId),
    index("mails_due").on(t.nextTryAt).where(sql`${t.nextTryAt} is not null`),
  ],
);
