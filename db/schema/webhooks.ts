import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
} from "drizzle-orm/pg-core";
import { at, claims, owner, snapshot, stamps } from "../columns";
import { deliveryStatuses } from "../../lib/contract/values";
import { tenantRules } from "./keys";
import { versioned } from "./versions";

/** An address that receives a business's events. The lease is a worker's turn, so that no two serve it at once. */
export const webhookEndpoints = pgTable(
  "webhook_endpoints",
  {
    ...owner(),
    id: text("id").notNull(),
    url: text("url").notNull(),
    description: text("description"),
    /** The types it receives; null is all. */
    events: text("events").array(),
    enabled: boolean("enabled").notNull().default(true),
    /** Why it was disabled, when no person or program did it. */
    disabledReason: text("disabled_reason", { enum: ["gone"] }),
    /** Sealed. */
    secret: text("secret").notNull(),
    previousSecret: text("previous_secret"),
    previousUntil: at("previous_until"),
    /** Sealed: the one before that, which ends with its own day when another rotation follows within it. */
    earlierSecret: text("earlier_secret"),
    earlierUntil: at("earlier_until"),
    /** Events that were visible when it was created or enabled again: it does not receive them. */
    since: snapshot("since").notNull().default(sql`pg_current_snapshot()`),
    ...versioned(),
    ...claims(),
    deletedAt: at("deleted_at"),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    index("webhook_endpoints_newest").on(t.businessId, t.mode, t.createdAt, t.id),
    // The few that are served, looked through at every turn of a worker.
    index("webhook_endpoints_served")
      .on(t.businessId, t.id)
      .where(sql`${t.enabled} and ${t.deletedAt} is null`),
    ...tenantRules(t),
  ],
);

/** One row per endpoint and event, with an id made from both; claimed with a lease and a fence; `next_try_at` is set exactly while it is pending. */
export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    ...owner(),
    id: text("id").notNull(),
    endpointId: text("endpoint_id").notNull(),
    eventId: text("event_id").notNull(),
    eventType: text("event_type").notNull(),
    /** A test event, which is in no log; else null. */
    testEvent: jsonb("test_event").$type<Record<string, unknown>>(),
    status: text("status", { enum: deliveryStatuses }).notNull().default("pending"),
    /** Attempts in all, and those of the schedule that runs now: sending again begins it anew. */
    attempts: integer("attempts").notNull().default(0),
    tries: integer("tries").notNull().default(0),
    lastStatusCode: smallint("last_status_code"),
    lastError: text("last_error"),
    nextTryAt: at("next_try_at"),
    leasedUntil: at("leased_until"),
    fence: integer("fence").notNull().default(0),
    deliveredAt: at("delivered_at"),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    foreignKey({
      columns: [t.businessId, t.endpointId],
      foreignColumns: [webhookEndpoints.businessId, webhookEndpoints.id],
      name: "webhook_deliveries_endpoint",
    }),
    index("webhook_deliveries_newest").on(t.businessId, t.mode, t.createdAt, t.id),
    index("webhook_deliveries_of").on(t.businessId, t.endpointId, t.createdAt, t.id),
    index("webhook_deliveries_event").on(t.businessId, t.eventId),
    index("webhook_deliveries_due")
      .on(t.businessId, t.endpointId, t.nextTryAt)
      .where(sql`${t.nextTryAt} is not null`),
    index("webhook_deliveries_failed")
      .on(t.businessId, t.mode, t.createdAt, t.id)
      .where(sql`${t.status} = 'failed'`),
    ...tenantRules(t),
    check(
      "webhook_deliveries_due_while_pending",
      sql`(${t.status} = 'pending') = (${t.nextTryAt} is not null)`,
    ),
  ],
);

/** Every attempt and what the endpoint said: its first 16 KiB, secrets masked. */
export const webhookAttempts = pgTable(
  "webhook_attempts",
  {
    businessId: integer("business_id").notNull(),
    deliveryId: text("delivery_id").notNull(),
    number: integer("number").notNull(),
    statusCode: smallint("status_code"),
    error: text("error"),
    response: text("response"),
    durationMs: integer("duration_ms").notNull(),
    startedAt: at("started_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.deliveryId, t.number] }),
    ...tenantRules(t),
    foreignKey({
      columns: [t.businessId, t.deliveryId],
      foreignColumns: [webhookDeliveries.businessId, webhookDeliveries.id],
      name: "webhook_attempts_delivery",
    }).onDelete("cascade"),
  ],
);
