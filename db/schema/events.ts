import { sql } from "drizzle-orm";
import {
  bigserial,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
} from "drizzle-orm/pg-core";
import { type Actor, at, claims, enumChecks, owner, xid8 } from "../columns";
import { modes } from "../../lib/contract/values";
import { tenantRules } from "./keys";

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
    /** Where in a trace the change was made, for the webhooks that follow; null without tracing. */
    traceparent: text("traceparent"),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    index("events_order").on(t.businessId, t.mode, t.xid, t.seq),
    index("events_newest").on(t.businessId, t.mode, t.createdAt, t.id),
    index("events_object").on(t.businessId, t.objectId, t.seq),
    ...tenantRules(t),
  ],
);

export const eventConsumers = ["webhooks", "mails", "subscriptions", "notifications"] as const;
export type EventConsumer = (typeof eventConsumers)[number];

/**
 * One row for each event and consumer that has not consumed it. Only the trigger `events_queued` inserts it, in the event's own commit, so
 * the reference of `events` to businesses holds for it too.
 */
export const eventQueue = pgTable(
  "event_queue",
  {
    consumer: text("consumer", { enum: eventConsumers }).notNull(),
    businessId: integer("business_id").notNull(),
    dueAt: at("due_at").notNull().default(sql`now()`),
    eventId: text("event_id").notNull(),
    ...claims(),
  },
  (t) => [
    primaryKey({ columns: [t.consumer, t.businessId, t.dueAt, t.eventId] }),
    ...enumChecks(t),
  ],
);

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
    /** The id of the payment or refund that a crashed run had started, or of the test clock that it advanced. */
    begun: text("begun"),
    claim: text("claim").notNull(),
    lockedUntil: at("locked_until").notNull(),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.mode, t.scope] }),
    index("idempotency_keys_age").on(t.createdAt),
    ...tenantRules(t),
  ],
);
