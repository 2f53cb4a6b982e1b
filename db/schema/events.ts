import { sql } from "drizzle-orm";
import {
  bigint,
  bigserial,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
} from "drizzle-orm/pg-core";
import { at, modes, owner, xid8 } from "../columns";

/** Who did it: an API key, a person, the payer, the gateway, or the clock. */
export type Actor = {
  kind: "key" | "person" | "payer" | "gateway" | "clock" | "operator";
  id?: string;
};

/** Every state change, written in its transaction. Append-only; the row is also the outbox that the worker turns into jobs. */
export const events = pgTable(
  "events",
  {
    ...owner(),
    id: text("id").notNull(),
    /** Transaction and order within it: `(xid, seq)` below the event horizon is a complete, stable order. */
    xid: xid8("xid").notNull().default(sql`pg_current_xact_id()`),
    seq: bigserial("seq", { mode: "number" }).notNull(),
    type: text("type").notNull(),
    objectId: text("object_id").notNull(),
    /** The object as the API would have answered it then. */
    data: jsonb("data").$type<Record<string, unknown>>().notNull(),
    actor: jsonb("actor").$type<Actor>().notNull(),
    /** The payer's mail this event asks for, if any. */
    mail: text("mail"),
    createdAt: at("created_at").notNull().default(sql`now()`),
    /** What the changed fields held before; for the timeline, not part of the event as programs read it. */
    previous: jsonb("previous").$type<Record<string, unknown>>(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    index("events_order").on(t.businessId, t.mode, t.xid, t.seq),
    index("events_newest").on(t.businessId, t.mode, t.createdAt, t.id),
    index("events_object").on(t.businessId, t.objectId, t.seq),
    // What subscriptions follow: outcomes of payments and new saved methods.
    index("events_followed")
      .on(t.xid, t.seq)
      .where(
        sql`${t.type} in ('payment.succeeded', 'payment.failed', 'payment_link.paid', 'tokenization.activated')`,
      ),
    // What webhooks follow: everything.
    index("events_log").on(t.xid, t.seq),
    index("events_outbox").on(t.xid, t.seq).where(sql`${t.mail} is not null`),
  ],
);

/** How far a reader of the event log has come; one row a reader. */
export const eventCursors = pgTable("event_cursors", {
  reader: text("reader").primaryKey(),
  xid: xid8("xid").notNull(),
  seq: bigint("seq", { mode: "number" }).notNull(),
});

/** One row a key in use: claimed before the work, holding the sealed answer after it. */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    businessId: integer("business_id").notNull(),
    mode: text("mode", { enum: modes }).notNull(),
    /** SHA-256 of method, path with query, and key. */
    scope: text("scope").notNull(),
    bodyDigest: text("body_digest").notNull(),
    /** Sealed `{timestamp, data}` of a 200; null while running. */
    answer: text("answer"),
    status: smallint("status"),
    /** What a crashed run had already begun: the id of its payment. */
    begun: text("begun"),
    claim: text("claim").notNull(),
    lockedUntil: at("locked_until").notNull(),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.mode, t.scope] }),
    index("idempotency_keys_age").on(t.createdAt),
  ],
);
