import { liveStatuses } from "@/lib/contract/values";
import { count, desc, eq, getTableColumns, inArray, isNull, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { type ClaimColumn, type CommonColumn, nowOf } from "@/db/columns";
import { directory, enter, entryOf } from "@/db/directory";
import { owned } from "@/db/owned";
import { payments } from "@/db/schema/payments";
import { leaseSeconds } from "../gateway-connections/call";
import type { Due } from "@/lib/jobs/claim-rows";
import type { Ctx } from "../context";

export type PaymentRow = typeof payments.$inferSelect;

/** Written by the database, or as the payment changes. */
type Later =
  | "status"
  | "refundedAmount"
  | "disputedAmount"
  | "gatewayId"
  | "checkoutUrl"
  | "withdrawnAt"
  | "startedAt"
  | "message"
  | "decline"
  | "flags"
  | "succeededAt"
  | "nextCheckAt"
  | "checks"
  | ClaimColumn;
/** What only some payments have. */
type Optional =
  | "reference"
  | "connectionId"
  | "paymentLinkId"
  | "linkVersion"
  | "tokenizationId"
  | "subscriptionId"
  | "periodStart"
  | "testClockId"
  | "method"
  | "note"
  | "receivedAt";

/** Every other column: one that is added to the table must be given here to compile. */
export type NewPayment = Pick<PaymentRow, "id"> &
  Omit<PaymentRow, CommonColumn | Later | Optional> &
  Partial<Pick<PaymentRow, Optional>>;

/** How long the run that wrote an attempt has before the reconciler looks after it. */
const submitLease = sql`now() + make_interval(secs => ${leaseSeconds(1)})`;

/** Records an attempt before the gateway is asked. */
export async function insertPayment(ctx: Ctx, tx: Tx, values: NewPayment): Promise<PaymentRow> {
  const [row] = await tx
    .with(enter(tx, "payment", ctx, values.id))
    .insert(payments)
    .values({
      ...values,
      businessId: ctx.businessId,
      mode: ctx.mode,
      nextCheckAt: submitLease as never,
      createdAt: nowOf(ctx),
      updatedAt: nowOf(ctx),
    })
    .returning();
  if (!row) throw new Error("the payment was not written");
  return row;
}

/** Records an attempt that the gateway has and we do not, over without money until it is settled; undefined when it is recorded already. */
export async function insertFound(
  ctx: Ctx,
  tx: Tx,
  values: NewPayment,
): Promise<PaymentRow | undefined> {
  const [row] = await tx
    .with(enter(tx, "payment", ctx, values.id))
    .insert(payments)
    .values({
      ...values,
      businessId: ctx.businessId,
      mode: ctx.mode,
      status: "cancelled",
      createdAt: nowOf(ctx),
      updatedAt: nowOf(ctx),
    })
    .onConflictDoNothing()
    .returning();
  return row;
}

export async function findPayment(
  ctx: Ctx,
  id: string,
  on: Executor = db,
): Promise<PaymentRow | undefined> {
  const [row] = await on
    .select()
    .from(payments)
    .where(owned(ctx, payments, eq(payments.id, id)));
  return row;
}

export async function lockPayment(ctx: Ctx, tx: Tx, id: string): Promise<PaymentRow | undefined> {
  const [row] = await tx
    .select()
    .from(payments)
    .where(owned(ctx, payments, eq(payments.id, id)))
    .for("no key update");
  return row;
}

/** Changes a payment that still has the status it was read with; the guard behind every transition. */
export async function changePayment(
  ctx: Ctx,
  tx: Tx,
  before: PaymentRow,
  change: Partial<PaymentRow>,
): Promise<PaymentRow> {
  const [row] = await tx
    .update(payments)
    .set({ ...change, updatedAt: nowOf(ctx) })
    .where(owned(ctx, payments, eq(payments.id, before.id), eq(payments.status, before.status)))
    .returning();
  if (!row) throw new Error("a locked payment has changed");
  return row;
}

/** When the reconciler looks next, in seconds from now by the database clock; null ends it. */
export const checkIn = (seconds: number | null) =>
  seconds === null ? null : (sql`now() + make_interval(secs => ${seconds})` as never);

/** The same, and not after this moment while it is to come. */
export const checkInBefore = (seconds: number, moment: string | null) =>
  moment === null
    ? checkIn(seconds)
    : (sql`least(now() + make_interval(secs => ${seconds}), case when ${moment}::timestamptz > now() then ${moment}::timestamptz end)` as never);

/** An attempt of which nothing is at the gateway is about to be sent again: it is looked for from this moment on. */
export async function noteSent(ctx: Ctx, id: string): Promise<void> {
  await db
    .update(payments)
    .set({ startedAt: sql`now()` })
    .where(owned(ctx, payments, eq(payments.id, id), inArray(payments.status, [...liveStatuses])));
}

/**
 * Commits the gateway's id of an attempt before it is charged there; the first one stays. Returns the id to charge; undefined for an attempt that is over
 * or withdrawn, which is not charged.
 */
export async function keepGatewayId(
  ctx: Ctx,
  id: string,
  gatewayId: string,
): Promise<string | undefined> {
  const [row] = await db
    .update(payments)
    .set({ gatewayId: sql`coalesce(${payments.gatewayId}, ${gatewayId})` })
    .where(
      owned(
        ctx,
        payments,
        eq(payments.id, id),
        isNull(payments.withdrawnAt),
        inArray(payments.status, [...liveStatuses]),
      ),
    )
    .returning({ gatewayId: payments.gatewayId });
  return row?.gatewayId ?? undefined;
}

/** Marks a write, so that earlier requests to the gateway can see that their result is stale. */
export async function raiseFence(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  await tx
    .update(payments)
    .set({ fence: sql`${payments.fence} + 1` })
    .where(owned(ctx, payments, eq(payments.id, id)));
}

/** Whether a moment is not later than what this call counts as, by the database's clock or the test clock's. */
export async function isPast(ctx: Ctx, on: Executor, moment: string): Promise<boolean> {
  const { rows } = await on.execute<{ past: boolean }>(
    sql`select ${moment}::timestamptz <= ${nowOf(ctx)} as past`,
  );
  return rows[0]?.past === true;
}

/** The attempts at a subscription's period, newest first. */
export async function paymentsOfPeriod(
  ctx: Ctx,
  on: Executor,
  subscriptionId: string,
  periodStart: string,
): Promise<PaymentRow[]> {
  return on
    .select()
    .from(payments)
    .where(
      owned(
        ctx,
        payments,
        eq(payments.subscriptionId, subscriptionId),
        eq(payments.periodStart, periodStart),
      ),
    )
    .orderBy(desc(payments.startedAt), desc(payments.id));
}

/** A subscription ended: its attempts that are not over are looked up from now on, and never sent again. */
export async function withdrawPayments(ctx: Ctx, tx: Tx, subscriptionId: string): Promise<void> {
  await tx
    .update(payments)
    .set({ withdrawnAt: sql`now()` })
    .where(
      owned(
        ctx,
        payments,
        eq(payments.subscriptionId, subscriptionId),
        inArray(payments.status, [...liveStatuses]),
      ),
    );
}

/** Whether its subscription ended meanwhile; asked right before an attempt is sent to the gateway. */
export async function isWithdrawn(ctx: Ctx, id: string): Promise<boolean> {
  const [row] = await db
    .select({ at: payments.withdrawnAt })
    .from(payments)
    .where(owned(ctx, payments, eq(payments.id, id)));
  return row === undefined || row.at !== null;
}

/** The newest attempts on a link. */
export async function paymentsOfLink(ctx: Ctx, linkId: string, limit = 100): Promise<PaymentRow[]> {
  return db
    .select()
    .from(payments)
    .where(owned(ctx, payments, eq(payments.paymentLinkId, linkId)))
    .orderBy(desc(payments.createdAt), desc(payments.id))
    .limit(limit);
}

/** The payment that a gateway knows by this id. */
export async function paymentByGatewayId(
  ctx: Ctx,
  connectionId: string,
  gatewayId: string,
): Promise<PaymentRow | undefined> {
  const [row] = await db
    .select()
    .from(payments)
    .where(
      owned(
        ctx,
        payments,
        eq(payments.gatewayId, gatewayId),
        eq(payments.connectionId, connectionId),
      ),
    )
    .limit(1);
  return row;
}

/** For the payer's return and for callbacks: an attempt by its id alone. */
export async function unscopedFindPayment(id: string): Promise<PaymentRow | undefined> {
  const [row] = await db
    .select(getTableColumns(payments))
    .from(directory)
    .innerJoin(payments, entryOf("payment", payments, payments.id))
    .where(eq(directory.key, id));
  return row;
}

/** Attempts without a final outcome, to be checked at the gateway again. */
export const openPayments: Due<typeof payments> = {
  table: payments,
  fairBy: [payments.businessId, payments.connectionId],
  moment: payments.nextCheckAt,
  where: sql`${payments.nextCheckAt} is not null`,
};

/** How many payments of each of these gateway connections are not over, by the connection's id. */
export async function countOpenPayments(
  ctx: Ctx,
  on: Executor,
  connectionIds: string[],
): Promise<Map<string, number>> {
  const rows = await on
    .select({ id: payments.connectionId, n: count() })
    .from(payments)
    .where(
      owned(
        ctx,
        payments,
        inArray(payments.connectionId, connectionIds),
        inArray(payments.status, [...liveStatuses]),
      ),
    )
    .groupBy(payments.connectionId);
  return new Map(rows.map(({ id, n }) => [id ?? "", n]));
}
