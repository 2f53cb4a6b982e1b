import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  foreignKey,
  index,
  integer,
  pgSchema,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { at, claims } from "../columns";
import { declineKinds } from "../../lib/contract/values";

/** The simulator gateway's own books. It is an outside party: no table here refers to Kutip's tables, nor the other way round. */
export const simulator = pgSchema("simulator");

const money = (name: string) => bigint(name, { mode: "number" });
const createdAt = () => at("created_at").notNull().default(sql`now()`);

const sessionKinds = ["pay", "save", "charge"] as const;
const sessionStates = [
  "open",
  "succeeded",
  "saved",
  "failed",
  "pending",
  "cancelled",
  "expired",
] as const;
const methodBehaviours = [
  "works",
  "declines",
  "declines_hard",
  "needs_payer",
  "expires",
  "pending",
  "late",
  "never",
] as const;
const scriptVerbs = [
  "begin",
  "save",
  "charge",
  "forget",
  "cancel",
  "find",
  "refund",
  "callback",
] as const;
const scriptEffects = [
  "error",
  "reset",
  "hang",
  "late",
  "wrong_amount",
  "wrong_currency",
  "drop",
  "decline",
  "pending",
] as const;

/** One row a connection that ever called: what signs its callbacks, and how patient and how quick this gateway is with it. */
export const simulatorAccounts = simulator.table(
  "accounts",
  {
    connectionId: text("connection_id").primaryKey(),
    secretSealed: text("secret_sealed").notNull(),
    secretDigest: text("secret_digest").notNull(),
    answerLimitMs: integer("answer_limit_ms").notNull().default(10_000),
    approveAfterMs: integer("approve_after_ms").notNull().default(3_000),
    createdAt: createdAt(),
  },
  (t) => [
    check(
      "accounts_times",
      sql`${t.answerLimitMs} between 1 and 60000 and ${t.approveAfterMs} >= 0`,
    ),
  ],
);

/** Every key ever used, with a digest of what was asked: the same key with other parameters is refused. */
export const simulatorRequests = simulator.table(
  "requests",
  {
    connectionId: text("connection_id").notNull(),
    key: text("key").notNull(),
    digest: text("digest").notNull(),
    subjectId: text("subject_id").notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.connectionId, t.key] })],
);

/** Saved methods. `declinesLeft` counts the soft declines still to come. */
export const simulatorMethods = simulator.table(
  "methods",
  {
    connectionId: text("connection_id").notNull(),
    id: text("id").notNull(),
    brand: text("brand").notNull(),
    last4: text("last4").notNull(),
    exp: text("exp").notNull(),
    behaviour: text("behaviour", { enum: methodBehaviours }).notNull().default("works"),
    declinesLeft: integer("declines_left").notNull().default(0),
    lateMs: integer("late_ms").notNull().default(2_000),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.connectionId, t.id] }),
    check("methods_counts", sql`${t.declinesLeft} >= 0 and ${t.lateMs} >= 0`),
  ],
);

/** One row an attempt: a hosted page (`pay`, `save`), or a charge of a saved method without one (`charge`, no `page`). */
export const simulatorSessions = simulator.table(
  "sessions",
  {
    connectionId: text("connection_id").notNull(),
    id: text("id").notNull(),
    page: text("page"),
    kind: text("kind", { enum: sessionKinds }).notNull(),
    reference: text("reference").notNull(),
    state: text("state", { enum: sessionStates }).notNull(),
    amount: money("amount"),
    currency: text("currency"),
    title: text("title").notNull(),
    returnUrl: text("return_url"),
    cancelUrl: text("cancel_url"),
    methodId: text("method_id"),
    decline: text("decline", { enum: declineKinds }),
    reason: text("reason"),
    /** What the caller said it is for. */
    linkId: text("link_id"),
    subscriptionId: text("subscription_id"),
    tokenizationId: text("tokenization_id"),
    ownReference: text("own_reference"),
    hiddenLooks: integer("hidden_looks").notNull().default(0),
    expiresAt: at("expires_at"),
    settlesAt: at("settles_at"),
    ...claims(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.connectionId, t.id] }),
    uniqueIndex("sessions_page").on(t.page),
    uniqueIndex("sessions_reference").on(t.connectionId, t.reference),
    index("sessions_settling_of")
      .on(t.connectionId, t.settlesAt)
      .where(sql`${t.state} = 'pending'`),
    index("sessions_expiring_of").on(t.connectionId, t.expiresAt).where(sql`${t.state} = 'open'`),
    foreignKey({
      name: "sessions_method",
      columns: [t.connectionId, t.methodId],
      foreignColumns: [simulatorMethods.connectionId, simulatorMethods.id],
    }),
    check(
      "sessions_money",
      sql`(${t.kind} = 'save') = (${t.amount} is null) and (${t.amount} is null) = (${t.currency} is null) and ${t.amount} > 0`,
    ),
    check("sessions_page_kind", sql`(${t.kind} = 'charge') = (${t.page} is null)`),
    check("sessions_failed", sql`(${t.state} = 'failed') = (${t.decline} is not null)`),
    check("sessions_pending", sql`(${t.state} = 'pending') = (${t.settlesAt} is not null)`),
  ],
);

/** The journal: what truly happened to money, in minor units. Append-only (a trigger holds it); tests compare it with our own ledger. */
export const simulatorJournal = simulator.table(
  "journal",
  {
    connectionId: text("connection_id").notNull(),
    id: text("id").notNull(),
    sessionId: text("session_id").notNull(),
    reference: text("reference").notNull(),
    type: text("type", { enum: ["charge", "decline", "refund"] }).notNull(),
    amount: money("amount").notNull(),
    currency: text("currency").notNull(),
    fee: money("fee").notNull(),
    decline: text("decline", { enum: declineKinds }),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.connectionId, t.id] }),
    index("journal_reference").on(t.connectionId, t.reference),
    uniqueIndex("journal_one_charge")
      .on(t.connectionId, t.sessionId)
      .where(sql`${t.type} <> 'refund'`),
    foreignKey({
      name: "journal_session",
      columns: [t.connectionId, t.sessionId],
      foreignColumns: [simulatorSessions.connectionId, simulatorSessions.id],
    }),
    check(
      "journal_money",
      sql`${t.amount} > 0 and ${t.fee} >= 0 and (${t.type} = 'decline') = (${t.decline} is not null)`,
    ),
  ],
);

/** Every refund asked for, refused ones too, so that the same key gets the same answer. */
export const simulatorRefunds = simulator.table(
  "refunds",
  {
    connectionId: text("connection_id").notNull(),
    id: text("id").notNull(),
    sessionId: text("session_id"),
    reference: text("reference").notNull(),
    amount: money("amount").notNull(),
    currency: text("currency").notNull(),
    refusedBecause: text("refused_because"),
    /** Set while it is pending. */
    settlesAt: at("settles_at"),
    ...claims(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.connectionId, t.id] }),
    index("refunds_session").on(t.connectionId, t.sessionId),
    index("refunds_settling_of")
      .on(t.connectionId, t.settlesAt)
      .where(sql`${t.settlesAt} is not null`),
    foreignKey({
      name: "refunds_session_fk",
      columns: [t.connectionId, t.sessionId],
      foreignColumns: [simulatorSessions.connectionId, simulatorSessions.id],
    }),
  ],
);

/** Callbacks to be sent. */
export const simulatorCallbacks = simulator.table(
  "callbacks",
  {
    connectionId: text("connection_id").notNull(),
    id: text("id").notNull(),
    type: text("type").notNull(),
    reference: text("reference").notNull(),
    body: text("body").notNull(),
    dueAt: at("due_at").notNull().default(sql`now()`),
    tries: integer("tries").notNull().default(0),
    deliveredAt: at("delivered_at"),
    ...claims(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.connectionId, t.id] }),
    index("callbacks_due_of").on(t.connectionId, t.dueAt).where(sql`${t.deliveredAt} is null`),
    index("callbacks_reference").on(t.connectionId, t.reference),
  ],
);

/** What tests and demonstrations make it do wrong: the next `remaining` calls of `verb` (for one reference, or any) do `effect`. */
export const simulatorScripts = simulator.table(
  "scripts",
  {
    connectionId: text("connection_id").notNull(),
    id: text("id").notNull(),
    reference: text("reference"),
    verb: text("verb", { enum: scriptVerbs }).notNull(),
    effect: text("effect", { enum: scriptEffects }).notNull(),
    delayMs: integer("delay_ms").notNull().default(0),
    remaining: integer("remaining").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.connectionId, t.id] }),
    index("scripts_waiting").on(t.connectionId, t.verb).where(sql`${t.remaining} > 0`),
    check("scripts_counts", sql`${t.remaining} >= 0 and ${t.delayMs} >= 0`),
  ],
);
