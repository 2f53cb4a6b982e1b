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
  text,
} from "drizzle-orm/pg-core";
import {
  batchActions,
  batchOutcomes,
  batchStatuses,
  skipReasons,
} from "../../lib/contract/batch-values";
import { linkStatuses } from "../../lib/contract/values";
import { type Actor, at, claims, owner, stamps } from "../columns";
import { tenantRules } from "./keys";
import { paymentLinks } from "./payment-links";

/** A change of many payment links, done in the background and in parts. An import is one too, done when it is written. */
export const batches = pgTable(
  "batches",
  {
    ...owner(),
    id: text("id").notNull(),
    action: text("action", { enum: batchActions }).notNull(),
    status: text("status", { enum: batchStatuses }).notNull(),
    /** The new expiry of an extension. Of one by days: 1970, so that a worker of an older version finds it passed by every clock and leaves each link. */
    expiresAt: at("expires_at"),
    /** How many days an extension adds to the expiry of each link. */
    extendDays: integer("extend_days"),
    /** How many days an extension adds to expiry and due date. Apart from `extendDays`, so that a worker of an older version leaves each link here too. */
    postponeDays: integer("postpone_days"),
    /** The extension also changes links that never expire, or that expire later. */
    shorten: boolean("shorten").notNull().default(false),
    /** Of an import: the name of its file. */
    fileName: text("file_name"),
    /** Links that it is about, that were looked at, and that were changed. */
    total: integer("total").notNull(),
    done: integer("done").notNull().default(0),
    changed: integer("changed").notNull().default(0),
    startsAt: at("starts_at").notNull(),
    startedBy: jsonb("started_by").$type<Actor>().notNull(),
    /** The batch that this one gives back, and the one that gave this one back. */
    undoOf: text("undo_of"),
    undoneBy: text("undone_by"),
    /** Of a `send`: the import of the links that it mails. */
    importId: text("import_id"),
    finishedAt: at("finished_at"),
    ...claims(),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    index("batches_newest").on(t.businessId, t.mode, t.createdAt, t.id),
    index("batches_open")
      .on(t.businessId, t.startsAt)
      .where(sql`${t.status} in ('waiting', 'running')`),
    check(
      "batches_extend_days",
      sql`${t.extendDays} is null or (${t.extendDays} between 1 and 366 and ${t.expiresAt} is not null)`,
    ),
    check(
      "batches_postpone_days",
      sql`${t.postponeDays} is null or (${t.postponeDays} between 1 and 366 and ${t.extendDays} is null and ${t.expiresAt} is not null)`,
    ),
    check("batches_file_name_length", sql`char_length(${t.fileName}) <= 255`),
    ...tenantRules(t),
  ],
);

/** The links of a batch, in the order in which they are worked. Links of an import carry its id instead. */
export const batchItems = pgTable(
  "batch_items",
  {
    ...owner(),
    batchId: text("batch_id").notNull(),
    /** From 1. An undo keeps the numbers of what it gives back. */
    position: integer("position").notNull(),
    paymentLinkId: text("payment_link_id").notNull(),
    /** Null until the link was looked at. */
    outcome: text("outcome", { enum: batchOutcomes }),
    reason: text("reason", { enum: skipReasons }),
    /** What the link was before it was changed, and when that was: an undo leaves links that changed since. */
    previousStatus: text("previous_status", { enum: linkStatuses }),
    previousExpiresAt: at("previous_expires_at"),
    linkUpdatedAt: at("link_updated_at"),
    /** Where the batch moved the due date: what that was, and when the link was changed, instead of `linkUpdatedAt`. A worker of an older version would give back the expiry alone, so it leaves the link. */
    previousDueAt: at("previous_due_at"),
    postponedAt: at("postponed_at"),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.batchId, t.position] }),
    index("batch_items_open")
      .on(t.businessId, t.batchId, t.position)
      .where(sql`${t.outcome} is null`),
    index("batch_items_skipped")
      .on(t.businessId, t.batchId, t.position)
      .where(sql`${t.outcome} = 'skipped'`),
    ...tenantRules(t),
    foreignKey({
      columns: [t.businessId, t.batchId],
      foreignColumns: [batches.businessId, batches.id],
    }),
    foreignKey({
      name: "batch_items_payment_link_fk",
      columns: [t.businessId, t.paymentLinkId],
      foreignColumns: [paymentLinks.businessId, paymentLinks.id],
    }),
  ],
);
