import { sql } from "drizzle-orm";
import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { at, claims, enumChecks } from "../columns";
import { mailStatuses, modes } from "../../lib/contract/values";

/** The outbox. Payer mails belong to a business and may be read by its staff; account mails (`NO_BUSINESS`) only by the operator. */
export const mails = pgTable(
  "mails",
  {
    /** `NO_BUSINESS` for an account mail. */
    businessId: integer("business_id").notNull(),
    id: text("id").notNull(),
    mode: text("mode", { enum: modes }),
    kind: text("kind").notNull(),
    /** What asked for it: one mail a cause and kind, since the id of an event's mail is made from both. */
    cause: text("cause").notNull(),
    objectId: text("object_id"),
    recipient: text("recipient").notNull(),
    subject: text("subject").notNull(),
    /** Sealed: account mails hold addresses that are secrets. */
    html: text("html").notNull(),
    text: text("text").notNull(),
    status: text("status", { enum: mailStatuses }).notNull().default("queued"),
    tries: integer("tries").notNull().default(0),
    error: text("error"),
    nextTryAt: at("next_try_at"),
    ...claims(),
    sentAt: at("sent_at"),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    index("mails_business").on(t.businessId, t.mode, t.createdAt, t.id),
    index("mails_failed").on(t.businessId, t.mode, t.createdAt).where(sql`${t.status} = 'failed'`),
    index("mails_object").on(t.businessId, t.objectId),
    index("mails_recipient")
      .on(t.businessId, t.mode, sql`lower(${t.recipient})`, t.createdAt, t.id)
      .concurrently(),
    index("mails_due_of").on(t.businessId, t.nextTryAt).where(sql`${t.nextTryAt} is not null`),
    ...enumChecks(t),
  ],
);
