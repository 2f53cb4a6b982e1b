import { and, asc, desc, eq, inArray, isNull, notInArray, sql } from "drizzle-orm";
import { togetherBy } from "@/db/batched";
import { db, type Executor, type Tx } from "@/db/client";
import { type ClaimColumn, type CommonColumn, nowOf, statementNow } from "@/db/columns";
import { amountFilters, createdFilters, filtered, type Filters, is } from "@/db/filters";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { refunds } from "@/db/schema/payments";
import type { RefundQuery } from "@/lib/contract/refunds";
import { refundStatuses } from "@/lib/contract/values";
import type { BookedRefund } from "@/lib/gateways/gateway";
import type { Due } from "@/lib/jobs/claim-rows";
import { leaseSeconds } from "../../gateway-connections/call";
import type { Ctx } from "../../context";
import type { PaymentRow } from "../rows";
import { keptUnknownSince, unknownSinceAfter } from "../unknown-rows";
import { isOpen, isRecorded } from "./rules";

export type RefundRow = typeof refunds.$inferSelect;

/** Written by the database, or as the refund changes. */
type Later =
  | "status"
  | "gatewayId"
  | "message"
  | "startedAt"
  | "unknownSince"
  | "succeededAt"
  | "nextCheckAt"
  | "checks"
  | ClaimColumn;
/** Of the payment, or of the caller. */
type Taken = "paymentId" | "currency" | "gateway" | "connectionId" | "testClockId" | "actor";

/** Every other column: one that is added to the table must be given here to compile. */
type NewRefund = Pick<RefundRow, "id"> & Omit<RefundRow, CommonColumn | Later | Taken>;

const openStatuses = refundStatuses.filter(isOpen);

/** How long the run that wrote a refund has before the reconciler looks after it. */
const submitLease = sql`now() + make_interval(secs => ${leaseSeconds(1)})` as never;

/** Records a refund of a locked payment before the gateway is asked. */
export async function insertRefund(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  values: NewRefund,
): Promise<RefundRow> {
  const [row] = await tx
    .insert(refunds)
    .values({
      ...values,
      businessId: ctx.businessId,
      mode: ctx.mode,
      paymentId: payment.id,
      currency: payment.currency,
      gateway: payment.gateway,
      connectionId: payment.connectionId,
      actor: ctx.actor,
      testClockId: payment.testClockId,
      nextCheckAt: submitLease,
      createdAt: nowOf(ctx),
      updatedAt: nowOf(ctx),
    })
    .returning();
  if (!row) throw new Error("the refund was not written");
  return row;
}

export async function findRefund(
  ctx: Ctx,
  id: string,
  on: Executor = db,
): Promise<RefundRow | undefined> {
  const [row] = await on
    .select()
    .from(refunds)
    .where(owned(ctx, refunds, eq(refunds.id, id)));
  return row;
}

/** A refund under its row lock; to be taken after its payment's. */
export async function lockRefund(ctx: Ctx, tx: Tx, id: string): Promise<RefundRow | undefined> {
  const [row] = await tx
    .select()
    .from(refunds)
    .where(owned(ctx, refunds, eq(refunds.id, id)))
    .for("no key update");
  return row;
}

/** What of a locked payment has gone back or may yet, in minor units: all of its refunds but those that failed. */
export async function heldOf(ctx: Ctx, on: Executor, paymentId: string): Promise<number> {
  const [row] = await on
    .select({ sum: sql<number>`coalesce(sum(${refunds.amount}), 0)::integer` })
    .from(refunds)
    .where(
      owned(ctx, refunds, eq(refunds.paymentId, paymentId), sql`${refunds.status} <> 'failed'`),
    );
  return row?.sum ?? 0;
}

/** All refunds of a locked payment, oldest first. */
export async function refundsOf(ctx: Ctx, tx: Tx, paymentId: string): Promise<RefundRow[]> {
  return tx
    .select()
    .from(refunds)
    .where(owned(ctx, refunds, eq(refunds.paymentId, paymentId)))
    .orderBy(asc(refunds.createdAt), asc(refunds.id));
}

/** The last refunds of a payment that succeeded, newest first. */
export async function succeededRefunds(
  ctx: Ctx,
  paymentId: string,
  limit: number,
): Promise<RefundRow[]> {
  return db
    .select()
    .from(refunds)
    .where(owned(ctx, refunds, eq(refunds.paymentId, paymentId), eq(refunds.status, "succeeded")))
    .orderBy(desc(refunds.createdAt), desc(refunds.id))
    .limit(limit);
}

/** How many refunds of a payment have succeeded beside these, and what they come to. */
export async function succeededBeside(
  ctx: Ctx,
  paymentId: string,
  ids: string[],
): Promise<{ count: number; amount: number }> {
  const [row] = await db
    .select({
      count: sql<number>`count(*)::integer`,
      amount: sql<number>`coalesce(sum(${refunds.amount}), 0)::float8`,
    })
    .from(refunds)
    .where(
      owned(
        ctx,
        refunds,
        eq(refunds.paymentId, paymentId),
        eq(refunds.status, "succeeded"),
        notInArray(refunds.id, ids),
      ),
    );
  return row ?? { count: 0, amount: 0 };
}

/** The refunds of a payment that have succeeded, for gateways that know no key. */
export async function bookedRefundsOf(ctx: Ctx, paymentId: string): Promise<BookedRefund[]> {
  const { gatewayId, amount, createdAt, succeededAt } = refunds;
  const rows = await db
    .select({ gatewayId, amount, createdAt, succeededAt })
    .from(refunds)
    .where(owned(ctx, refunds, eq(refunds.paymentId, paymentId), eq(refunds.status, "succeeded")));
  return rows.map((row) => ({
    refundId: row.gatewayId ?? "",
    amount: row.amount,
    recorded: row.gatewayId === null && isRecorded(row),
  }));
}

/** Whether the refund that succeeded at that moment has no id at the gateway: staff alone have said that it went back. */
export async function isRecordedRefund(
  ctx: Ctx,
  on: Executor,
  { paymentId, amount, at }: { paymentId: string; amount: number; at: string },
): Promise<boolean> {
  const [row] = await on
    .select({ id: refunds.id })
    .from(refunds)
    .where(
      owned(
        ctx,
        refunds,
        eq(refunds.paymentId, paymentId),
        eq(refunds.amount, amount),
        eq(refunds.succeededAt, at),
        isNull(refunds.gatewayId),
      ),
    )
    .limit(1);
  return row !== undefined;
}

async function write(
  ctx: Ctx,
  tx: Tx,
  { id, status }: RefundRow,
  change: Partial<RefundRow>,
): Promise<RefundRow> {
  const [row] = await tx
    .update(refunds)
    .set(change)
    .where(owned(ctx, refunds, eq(refunds.id, id), eq(refunds.status, status)))
    .returning();
  if (!row) throw new Error("a locked refund has changed");
  return row;
}

/** Changes a refund that still has the status it was read with. */
export const changeRefund = (
  ctx: Ctx,
  tx: Tx,
  before: RefundRow,
  change: Partial<RefundRow>,
): Promise<RefundRow> =>
  write(ctx, tx, before, {
    ...change,
    ...unknownSinceAfter(before.status, change.status),
    updatedAt: nowOf(ctx),
  });

/** Counts a look that brought no news, plans the next one and gives the lease back, without a trace in `updated_at`. */
export const planRefundCheck = (
  ctx: Ctx,
  tx: Tx,
  before: RefundRow,
  nextCheckAt: RefundRow["nextCheckAt"],
): Promise<RefundRow> =>
  write(ctx, tx, before, { checks: before.checks + 1, nextCheckAt, leasedUntil: null });

/** Notes that a refund is sent again now: staff cannot resolve it while that request may be on its way. False where it is over. */
export async function noteSentAgain(ctx: Ctx, id: string): Promise<boolean> {
  const noted = await db
    .update(refunds)
    .set({
      startedAt: statementNow(refunds.startedAt),
      unknownSince: keptUnknownSince(refunds),
    })
    .where(owned(ctx, refunds, eq(refunds.id, id), inArray(refunds.status, openStatuses)))
    .returning({ id: refunds.id });
  return noted.length > 0;
}

/** The refunds of a payment that are not over. */
export const openRefundsOf = (ctx: Ctx, paymentId: string): Promise<RefundRow[]> =>
  openTogether({ ctx, paymentId });

const openTogether = togetherBy<{ ctx: Ctx; paymentId: string }, RefundRow[]>(
  ({ ctx }) => `${ctx.businessId} ${ctx.mode}`,
  async (list) => {
    const rows = await db
      .select()
      .from(refunds)
      .where(
        owned(
          list[0]?.ctx as Ctx,
          refunds,
          inArray(
            refunds.paymentId,
            list.map(({ paymentId }) => paymentId),
          ),
          inArray(refunds.status, openStatuses),
        ),
      );
    const byPayment = Map.groupBy(rows, ({ paymentId }) => paymentId);
    return list.map(({ paymentId }) => byPayment.get(paymentId) ?? []);
  },
);

const filters: Filters<RefundQuery> = {
  status: is(refunds.status),
  currency: is(refunds.currency),
  ...amountFilters(refunds.amount),
  ...createdFilters(refunds.createdAt),
};

const conditions = (ctx: Ctx, paymentId: string, query: RefundQuery) =>
  owned(ctx, refunds, eq(refunds.paymentId, paymentId), ...filtered(filters, query));

export async function listRefunds(
  ctx: Ctx,
  paymentId: string,
  query: RefundQuery,
  walk: Walk,
): Promise<RefundRow[]> {
  const { where, orderBy, limit, offset } = keyset(refunds, walk);
  return db
    .select()
    .from(refunds)
    .where(and(conditions(ctx, paymentId, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
}

export async function countRefunds(
  ctx: Ctx,
  paymentId: string,
  query: RefundQuery,
): Promise<number> {
  return db.$count(refunds, conditions(ctx, paymentId, query));
}

/** Refunds without a final outcome, to be checked at the gateway again. */
export const openRefunds: Due<typeof refunds> = {
  table: refunds,
  fairBy: [refunds.businessId, refunds.connectionId],
  moment: refunds.nextCheckAt,
  where: sql`${refunds.nextCheckAt} is not null`,
};
