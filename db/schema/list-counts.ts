import { sql } from "drizzle-orm";
import { bigint, boolean, index, pgTable, text } from "drizzle-orm/pg-core";
import { linkStatuses, paymentStatuses } from "../../lib/contract/values";
import { at, enumChecks, owner } from "../columns";

/**
 * Sums that triggers keep, as changes: the sum over all rows of a key is exact at any moment, and two writers never wait for each other.
 * A task folds the rows of a key into one.
 */
const change = () => ({
  currency: text("currency").notNull(),
  /** How many records more, or less where it is negative. */
  count: bigint("count", { mode: "number" }).notNull(),
  /** Minor units. */
  amount: bigint("amount", { mode: "number" }).notNull(),
  folded: boolean("folded").notNull().default(false),
});

/** Links that are not deleted, by status and currency. */
export const paymentLinkCounts = pgTable(
  "payment_link_counts",
  { ...owner(), status: text("status", { enum: linkStatuses }).notNull(), ...change() },
  (t) => [
    index("payment_link_counts_key").on(t.businessId, t.mode, t.status, t.currency),
    index("payment_link_counts_unfolded").on(t.businessId).where(sql`not ${t.folded}`),
    ...enumChecks(t),
  ],
);

/** Payments by status and currency. */
export const paymentCounts = pgTable(
  "payment_counts",
  { ...owner(), status: text("status", { enum: paymentStatuses }).notNull(), ...change() },
  (t) => [
    index("payment_counts_key").on(t.businessId, t.mode, t.status, t.currency),
    index("payment_counts_unfolded").on(t.businessId).where(sql`not ${t.folded}`),
    ...enumChecks(t),
  ],
);

export const paymentSumKinds = ["collected", "failed"] as const;
export const paymentSumSpans = ["quarter", "hour", "day"] as const;

/**
 * Payments by time: `collected` by when they succeeded, less refunds; `failed` by when they were made. Changes are of a quarter of an hour,
 * with which every zone's day begins. Folding keeps a row for the quarter, one for its
 * hour and one for its day in UTC: a year has few rows.
 */
export const paymentSums = pgTable(
  "payment_sums",
  {
    ...owner(),
    kind: text("kind", { enum: paymentSumKinds }).notNull(),
    span: text("span", { enum: paymentSumSpans }).notNull().default("quarter"),
    /** The beginning of the quarter, hour or day. */
    start: at("start").notNull(),
    ...change(),
  },
  (t) => [
    // With the sums themselves: the overview reads thousands of rows of this index, and none of the table.
    index("payment_sums_key")
      .on(t.businessId, t.mode, t.kind, t.span, t.start, t.currency, t.count, t.amount)
      .where(sql`${t.folded}`),
    index("payment_sums_unfolded")
      .on(t.businessId, t.mode, t.kind, t.start)
      .where(sql`not ${t.folded}`),
    ...enumChecks(t),
  ],
);

/**
 * Links that are not deleted, by when they were created: how many there are, and how many of these were mailed, opened, tried and paid.
 * Kept for quarters, hours and days as the sums of payments are.
 */
export const paymentLinkStages = pgTable(
  "payment_link_stages",
  {
    ...owner(),
    span: text("span", { enum: paymentSumSpans }).notNull().default("quarter"),
    /** The beginning of the quarter, hour or day. */
    start: at("start").notNull(),
    currency: text("currency").notNull(),
    created: bigint("created", { mode: "number" }).notNull(),
    mailed: bigint("mailed", { mode: "number" }).notNull(),
    opened: bigint("opened", { mode: "number" }).notNull(),
    tried: bigint("tried", { mode: "number" }).notNull(),
    paid: bigint("paid", { mode: "number" }).notNull(),
    folded: boolean("folded").notNull().default(false),
  },
  (t) => [
    // With the counts themselves, as above.
    index("payment_link_stages_key")
      .on(
        t.businessId,
        t.mode,
        t.span,
        t.start,
        t.currency,
        t.created,
        t.mailed,
        t.opened,
        t.tried,
        t.paid,
      )
      .where(sql`${t.folded}`),
    index("payment_link_stages_unfolded")
      .on(t.businessId, t.mode, t.start)
      .where(sql`not ${t.folded}`),
    ...enumChecks(t),
  ],
);
