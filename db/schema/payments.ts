import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { type Actor, at, claims, owner, stamps } from "../columns";
import {
  manualMethods,
  callbackStates,
  callbackSubjects,
  declineKinds,
  disputeChanges,
  disputeStatuses,
  FORMER_MANUAL_ACCOUNT,
  ledgerAccounts,
  ledgerKinds,
  liveStatuses,
  type PayChoice,
  paymentStatuses,
  refundStatuses,
} from "../../lib/contract/values";
import { searchIndex, textsOf } from "../texts";
import { gatewayConnections } from "./gateway-connections";
import { tenantRules } from "./keys";
import { paymentLinks } from "./payment-links";
import { subscriptions } from "./subscriptions";
import { testClocks } from "./test-clocks";
import { tokenizations } from "./tokenizations";

const live = sql.raw(liveStatuses.map((status) => `'${status}'`).join(", "));

/** Every attempt at money. The row is written before the gateway is asked, and changed only by guarded transitions. */
export const payments = pgTable(
  "payments",
  {
    ...owner(),
    id: text("id").notNull(),
    status: text("status", { enum: paymentStatuses }).notNull().default("submitting"),
    amount: integer("amount").notNull(),
    currency: text("currency").notNull(),
    refundedAmount: integer("refunded_amount").notNull().default(0),
    /** What the payer's bank has taken back and not returned; the ledger's `disputes` say the same. */
    disputedAmount: integer("disputed_amount").notNull().default(0),
    /** Set while and after the payer's bank asks the money back. */
    disputeStatus: text("dispute_status", { enum: disputeStatuses }),
    title: text("title").notNull(),
    reference: text("reference"),
    gateway: text("gateway").notNull(),
    connectionId: text("connection_id"),
    gatewayId: text("gateway_id"),
    /** Where the payer was sent; pressing pay again returns there while the attempt is open. */
    checkoutUrl: text("checkout_url"),
    /** The way to pay that the payer chose on our page; null where there was no choice. */
    choice: jsonb("choice").$type<PayChoice>(),
    paymentLinkId: text("payment_link_id"),
    linkVersion: integer("link_version"),
    tokenizationId: text("tokenization_id"),
    subscriptionId: text("subscription_id"),
    periodStart: date("period_start", { mode: "string" }),
    /** Set when its subscription follows a test clock: `created_at` and the like are of that clock. */
    testClockId: text("test_clock_id"),
    /** Set when its subscription ended or its period was paid: what is not at the gateway by then is not sent there any more. */
    withdrawnAt: at("withdrawn_at"),
    /**
     * When it was truly sent, by the real clock; the last time, where the gateway prepared it, or where it is proven that the times before left nothing
     * there.
     */
    startedAt: at("started_at").notNull().default(sql`now()`),
    /** When staff ended it without the gateway's word; by the real clock, also under a test clock. */
    resolvedAt: at("resolved_at"),
    /** Since when it is `unknown`, by the real clock. Null: it is not, or an older process wrote the status; then `started_at` counts. */
    unknownSince: at("unknown_since"),
    message: text("message"),
    decline: text("decline", { enum: declineKinds }),
    /** Set when staff recorded it by hand: how the money came, what they noted, when they say it came. */
    method: text("method", { enum: manualMethods }),
    note: text("note"),
    /** How the payer paid, in the gateway's word, once the gateway has said it. */
    paidWith: text("paid_with"),
    receivedAt: at("received_at"),
    /** The amount without the gateway's fee, once it is known and in the same currency: what a bank statement shows. The ledger has the fee. */
    net: integer("net"),
    flags: text("flags").array().notNull().default(sql`'{}'`),
    succeededAt: at("succeeded_at"),
    /** When the reconciler asks the gateway next; null when the attempt is over. */
    nextCheckAt: at("next_check_at"),
    checks: integer("checks").notNull().default(0),
    ...claims(),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    index("payments_newest").on(t.businessId, t.mode, t.createdAt, t.id),
    index("payments_amount").on(t.businessId, t.mode, t.amount, t.id),
    index("payments_net")
      .on(t.businessId, t.mode, t.net, t.createdAt, t.id)
      .where(sql`${t.net} is not null`)
      .concurrently(),
    index("payments_status").on(t.businessId, t.mode, t.status, t.createdAt, t.id),
    index("payments_reference")
      .on(t.businessId, t.mode, t.reference, t.createdAt, t.id)
      .where(sql`${t.reference} is not null`)
      .concurrently(),
    index("payments_currency")
      .on(t.businessId, t.mode, t.currency, t.createdAt, t.id)
      .concurrently(),
    index("payments_texts")
      .using("gin", sql`(${textsOf([t.title, t.reference])}) gin_trgm_ops`, t.businessId, t.mode)
      .with(searchIndex)
      .concurrently(),
    index("payments_succeeded")
      .on(t.businessId, t.mode, t.succeededAt)
      .where(sql`${t.succeededAt} is not null`),
    index("payments_flagged").on(t.businessId, t.mode, t.createdAt).where(sql`${t.flags} <> '{}'`),
    index("payments_link").on(t.businessId, t.paymentLinkId),
    index("payments_tokenization")
      .on(t.businessId, t.tokenizationId)
      .where(sql`${t.tokenizationId} is not null`),
    index("payments_subscription")
      .on(t.businessId, t.subscriptionId)
      .where(sql`${t.subscriptionId} is not null`),
    index("payments_gateway_id")
      .on(t.businessId, t.gatewayId)
      .where(sql`${t.gatewayId} is not null`),
    index("payments_due_of")
      .on(t.businessId, sql`coalesce(${t.connectionId}, '')`, t.nextCheckAt)
      .where(sql`${t.nextCheckAt} is not null`),
    uniqueIndex("payments_one_live_per_link")
      .on(t.businessId, t.paymentLinkId)
      .where(sql`${t.paymentLinkId} is not null and ${t.status} in (${live})`),
    uniqueIndex("payments_one_live_per_period")
      .on(t.businessId, t.subscriptionId, t.periodStart)
      .where(sql`${t.subscriptionId} is not null and ${t.status} in (${live})`),
    foreignKey({
      columns: [t.businessId, t.paymentLinkId],
      foreignColumns: [paymentLinks.businessId, paymentLinks.id],
    }),
    foreignKey({
      columns: [t.businessId, t.tokenizationId],
      foreignColumns: [tokenizations.businessId, tokenizations.id],
    }),
    foreignKey({
      columns: [t.businessId, t.subscriptionId],
      foreignColumns: [subscriptions.businessId, subscriptions.id],
    }),
    foreignKey({
      columns: [t.businessId, t.connectionId],
      foreignColumns: [gatewayConnections.businessId, gatewayConnections.id],
    }),
    foreignKey({
      columns: [t.businessId, t.testClockId],
      foreignColumns: [testClocks.businessId, testClocks.id],
    }),
    ...tenantRules(t),
    check("payments_amount_positive", sql`${t.amount} > 0`),
    check("payments_refunded_range", sql`${t.refundedAmount} between 0 and ${t.amount}`),
    check("payments_disputed_range", sql`${t.disputedAmount} between 0 and ${t.amount}`),
    check("payments_paid_with_length", sql`char_length(${t.paidWith}) <= 50`),
    check("payments_manual", sql`(${t.gateway} = 'manual') = (${t.method} is not null)`),
  ],
);

/** Every refund, written before the gateway is asked. All but failed ones count against the payment's amount, under the payment's row lock. */
export const refunds = pgTable(
  "refunds",
  {
    ...owner(),
    id: text("id").notNull(),
    paymentId: text("payment_id").notNull(),
    status: text("status", { enum: refundStatuses }).notNull().default("submitting"),
    amount: integer("amount").notNull(),
    currency: text("currency").notNull(),
    /** For the business alone; the payer never sees it. */
    reason: text("reason"),
    gateway: text("gateway").notNull(),
    connectionId: text("connection_id"),
    gatewayId: text("gateway_id"),
    /** Who requested it, no matter which process learns the outcome. */
    actor: jsonb("actor").$type<Actor>().notNull(),
    message: text("message"),
    testClockId: text("test_clock_id"),
    /** When it was truly sent, by the real clock; the last time, where it was sent again. */
    startedAt: at("started_at").notNull().default(sql`now()`),
    /** As for payments. */
    unknownSince: at("unknown_since"),
    succeededAt: at("succeeded_at"),
    /** When the reconciler asks the gateway next; null when it is over. */
    nextCheckAt: at("next_check_at"),
    checks: integer("checks").notNull().default(0),
    ...claims(),
    ...stamps(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    index("refunds_failed")
      .on(t.businessId, t.mode, t.createdAt)
      .where(sql`${t.status} = 'failed'`),
    index("refunds_payment").on(t.businessId, t.paymentId, t.createdAt, t.id),
    index("refunds_due_of")
      .on(t.businessId, sql`coalesce(${t.connectionId}, '')`, t.nextCheckAt)
      .where(sql`${t.nextCheckAt} is not null`),
    foreignKey({
      columns: [t.businessId, t.paymentId],
      foreignColumns: [payments.businessId, payments.id],
    }),
    foreignKey({
      columns: [t.businessId, t.connectionId],
      foreignColumns: [gatewayConnections.businessId, gatewayConnections.id],
    }),
    foreignKey({
      columns: [t.businessId, t.testClockId],
      foreignColumns: [testClocks.businessId, testClocks.id],
    }),
    ...tenantRules(t),
    check("refunds_amount_positive", sql`${t.amount} > 0`),
    check(
      "refunds_over",
      sql`(${t.nextCheckAt} is null) = (${t.status} in ('succeeded', 'failed'))`,
    ),
  ],
);

const storedAccounts = [...ledgerAccounts, FORMER_MANUAL_ACCOUNT] as const;

/** Double entry, append-only (triggers refuse UPDATE and DELETE, and a posting that does not sum to zero in one currency). */
export const ledgerEntries = pgTable(
  "ledger_entries",
  {
    ...owner(),
    id: text("id").notNull(),
    seq: bigint("seq", { mode: "number" }).generatedAlwaysAsIdentity().notNull(),
    /**
     * `gross:<payment>`, `fee:<payment>`, `refund:<refund>`, `refund_failed:<refund>`, `dispute:<payment>:<the gateway's movement>` and `dispute_fee:…`:
     * what it books can be booked once.
     */
    postingId: text("posting_id").notNull(),
    paymentId: text("payment_id").notNull(),
    refundId: text("refund_id"),
    kind: text("kind", { enum: ledgerKinds }).notNull(),
    account: text("account", { enum: storedAccounts }).notNull(),
    currency: text("currency").notNull(),
    /** Minor units; a debit is positive, a credit negative. */
    amount: bigint("amount", { mode: "number" }).notNull(),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.seq] }),
    // One posting of a kind: a second settle of the same success cannot book it again.
    uniqueIndex("ledger_entries_once").on(t.businessId, t.postingId, t.account),
    uniqueIndex("ledger_entries_id").on(t.businessId, t.id),
    index("ledger_entries_newest").on(t.businessId, t.mode, t.createdAt, t.id),
    index("ledger_entries_amount").on(t.businessId, t.mode, t.amount, t.id),
    index("ledger_entries_payment").on(t.businessId, t.paymentId),
    foreignKey({
      columns: [t.businessId, t.paymentId],
      foreignColumns: [payments.businessId, payments.id],
    }),
    foreignKey({
      columns: [t.businessId, t.refundId],
      foreignColumns: [refunds.businessId, refunds.id],
    }),
    ...tenantRules(t),
    check("ledger_entries_refund", sql`(${t.kind} = 'refund') = (${t.refundId} is not null)`),
  ],
);

/** What gateways said, once by event id, before anything is done about it. */
export const gatewayEvents = pgTable(
  "gateway_events",
  {
    businessId: integer("business_id").notNull(),
    connectionId: text("connection_id").notNull(),
    eventId: text("event_id").notNull(),
    type: text("type").notNull(),
    about: text("about", { enum: callbackSubjects }).notNull().default("payment"),
    disputeChange: text("dispute_change", { enum: disputeChanges }),
    reference: text("reference").notNull(),
    /** The gateway's own id of the attempt, for callbacks without our reference. */
    gatewayId: text("gateway_id"),
    /** What it claims was taken, in minor units. */
    amount: bigint("amount", { mode: "number" }),
    currency: text("currency"),
    /** Why it is quarantined, in words. */
    problem: text("problem"),
    state: text("state", { enum: callbackStates }).notNull().default("new"),
    tries: integer("tries").notNull().default(0),
    nextTryAt: at("next_try_at"),
    ...claims(),
    createdAt: at("created_at").notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.connectionId, t.eventId] }),
    index("gateway_events_due_of")
      .on(t.businessId, t.connectionId, t.nextTryAt)
      .where(sql`${t.nextTryAt} is not null`),
    index("gateway_events_quarantined")
      .on(t.businessId, t.connectionId, t.createdAt)
      .where(sql`${t.state} = 'quarantined'`),
    ...tenantRules(t),
    foreignKey({
      columns: [t.businessId, t.connectionId],
      foreignColumns: [gatewayConnections.businessId, gatewayConnections.id],
    }),
  ],
);
