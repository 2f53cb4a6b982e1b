import { liveStatuses } from "@/lib/contract/values";
import { asc, count, desc, eq, getTableColumns, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { togetherBy } from "@/db/batched";
import { db, type Executor, type Tx } from "@/db/client";
import { type ClaimColumn, type CommonColumn, newRows, nowOf, inSeconds } from "@/db/columns";
import { directory, enter, entryOf } from "@/db/directory";
import { owned } from "@/db/owned";
import { changeRows, inOrder, setwise } from "@/db/sets";
import { payments } from "@/db/schema/payments";
import { tokenizations } from "@/db/schema/tokenizations";
import { leaseSeconds } from "../gateway-connections/call";
import type { Due } from "@/lib/jobs/claim-rows";
import type { Ctx } from "../context";
import { keptUnknownSince, unknownSinceAfter } from "./unknown-rows";

export type PaymentRow = typeof payments.$inferSelect;

/** Written by the database, or as the payment changes. */
type Later =
  | "status"
  | "refundedAmount"
  | "disputedAmount"
  | "disputeStatus"
  | "gatewayId"
  | "checkoutUrl"
  | "withdrawnAt"
  | "startedAt"
  | "unknownSince"
  | "resolvedAt"
  | "message"
  | "decline"
  | "paidWith"
  | "net"
  | "flags"
  | "succeededAt"
  | "nextCheckAt"
  | "checks"
  | Exclude<ClaimColumn, "leasedBy">;
/** What only some payments have. */
type Optional =
  | "reference"
  | "connectionId"
  | "choice"
  | "paymentLinkId"
  | "linkVersion"
  | "tokenizationId"
  | "subscriptionId"
  | "periodStart"
  | "testClockId"
  | "method"
  | "note"
  | "receivedAt"
  | "leasedBy";

/** Every other column: one that is added to the table must be given here to compile. */
export type NewPayment = Pick<PaymentRow, "id"> &
  Omit<PaymentRow, CommonColumn | Later | Optional> &
  Partial<Pick<PaymentRow, Optional>>;

/** How long the run that wrote an attempt has before the reconciler looks after it. */
const submitLease = sql`now() + make_interval(secs => ${leaseSeconds(1)})`;

const idOf = ({ id }: { id: string }) => id;
const callerOf = ({ ctx }: { ctx: Ctx }) => `${ctx.businessId} ${ctx.mode}`;

/** Records an attempt before the gateway is asked. `leasedBy`: the worker that asks. */
export const insertPayment = setwise<Ctx, NewPayment, PaymentRow>(async (ctx, tx, list) => {
  const rows = await tx
    .with(enter(tx, "payment", ctx, ...list.map(idOf)))
    .insert(payments)
    .select(
      newRows(
        payments,
        list.map((values) => ({ ...values, businessId: ctx.businessId, mode: ctx.mode })),
        {
          // Of a worker that dies, another one looks after it as soon as it is known to be dead.
          nextCheckAt: sql`case when leased_by is null then ${submitLease} else now() end`,
          leasedUntil: sql`case when leased_by is not null then ${submitLease} end`,
          createdAt: nowOf(ctx),
          updatedAt: nowOf(ctx),
        },
      ),
    )
    .returning();
  return inOrder(list, rows, idOf, idOf).map((row) => {
    if (!row) throw new Error("the payment was not written");
    return row;
  });
});

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

async function findPayments(ctx: Ctx, on: Executor, ids: readonly string[]) {
  const rows = await on
    .select()
    .from(payments)
    .where(owned(ctx, payments, inArray(payments.id, [...ids])));
  return inOrder(ids, rows, String, idOf);
}
const found = setwise(findPayments);

export const findPayment = (
  ctx: Ctx,
  id: string,
  on: Executor = db,
): Promise<PaymentRow | undefined> => (on === db ? foundTogether({ ctx, id }) : found(ctx, on, id));

const foundTogether = togetherBy<{ ctx: Ctx; id: string }, PaymentRow | undefined>(
  callerOf,
  (list) => findPayments(list[0]?.ctx as Ctx, db, list.map(idOf)),
);

export const lockPayment = setwise<Ctx, string, PaymentRow | undefined>(async (ctx, tx, ids) => {
  const rows = await tx
    .select()
    .from(payments)
    .where(owned(ctx, payments, inArray(payments.id, [...ids])))
    .orderBy(asc(payments.id))
    .for("no key update");
  return inOrder(ids, rows, String, idOf);
});

type PaymentChange = { before: PaymentRow; change: Partial<PaymentRow> };
const changing = (always: (ctx: Ctx) => Readonly<Record<string, SQL>>) =>
  setwise<Ctx, PaymentChange, PaymentRow>(async (ctx, tx, list) => {
    const changes = list.map(({ before: { id, status }, change }) => ({
      where: { id, status },
      set: change,
    }));
    const rows = await changeRows(tx, payments, owned(ctx, payments), changes, always(ctx));
    return inOrder(list, rows, ({ before }) => before.id, idOf).map((row) => {
      if (!row) throw new Error("a locked payment has changed");
      return row;
    });
  });
const changePayments = changing((ctx) => ({ updatedAt: nowOf(ctx) }));
const planChecks = changing(() => ({}));

/** Changes a payment that still has the status it was read with; the guard behind every transition. */
export const changePayment = (
  ctx: Ctx,
  tx: Tx,
  before: PaymentRow,
  change: Partial<PaymentRow>,
): Promise<PaymentRow> =>
  changePayments(ctx, tx, {
    before,
    change: { ...change, ...unknownSinceAfter(before.status, change.status) },
  });

/** Counts a look that brought no news, plans the next one and gives the lease back, without a trace in `updated_at`. */
export const planCheck = (
  ctx: Ctx,
  tx: Tx,
  before: PaymentRow,
  nextCheckAt: PaymentRow["nextCheckAt"],
): Promise<PaymentRow> =>
  planChecks(ctx, tx, {
    before,
    change: { checks: before.checks + 1, nextCheckAt, leasedUntil: null },
  });

/** Keeps what is left after a fee that came late, for searches. The payment itself has not changed since. */
export async function noteNet(ctx: Ctx, tx: Tx, id: string, net: number | null): Promise<void> {
  await tx
    .update(payments)
    .set({ net })
    .where(owned(ctx, payments, eq(payments.id, id)));
}

/** When the reconciler looks next: in so many seconds, and not after this moment while it is to come. */
export const checkInBefore = (seconds: number, moment: string | null) =>
  moment === null
    ? inSeconds(seconds)
    : (sql`least(now() + make_interval(secs => ${seconds}), nullif(greatest(${moment}::timestamptz, now()), now()))` as never);

/** Another attempt paid the link: the open page of this one is looked up now, so that it is closed. */
export async function lookUpPageNow(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  await tx
    .update(payments)
    .set({ nextCheckAt: sql`now()` })
    .where(owned(ctx, payments, eq(payments.id, id), eq(payments.status, "requires_action")));
}

/** An attempt of which nothing is at the gateway is about to be sent again: it is looked for from this moment on. */
export async function noteSent(ctx: Ctx, id: string): Promise<void> {
  await db
    .update(payments)
    .set({ startedAt: sql`now()`, unknownSince: keptUnknownSince(payments) })
    .where(owned(ctx, payments, eq(payments.id, id), inArray(payments.status, [...liveStatuses])));
}

/** SQL: an attempt that may be charged: it is not over, not withdrawn, and its saved method is active. */
const sendable = sql`${inArray(payments.status, [...liveStatuses])} and ${isNull(payments.withdrawnAt)} and exists (select 1 from ${tokenizations}
  where ${tokenizations.businessId} = ${payments.businessId} and ${tokenizations.id} = ${payments.tokenizationId} and ${tokenizations.status} = 'active')`;

const sendableTogether = togetherBy<{ ctx: Ctx; id: string }, PaymentRow["status"] | undefined>(
  callerOf,
  async (list) => {
    const { ctx } = list[0] as (typeof list)[number];
    const rows = await db
      .select({ id: payments.id, status: payments.status })
      .from(payments)
      .where(owned(ctx, payments, inArray(payments.id, list.map(idOf)), sendable));
    return inOrder(list, rows, idOf, idOf).map((row) => row?.status);
  },
);

/**
 * The status of an attempt that may be charged; undefined for one that is over or withdrawn, or has a saved method that was revoked. Asked right before
 * a charge is sent: another status than the caller read means that another worker has sent it.
 */
export const sendableStatus = (ctx: Ctx, id: string): Promise<PaymentRow["status"] | undefined> =>
  sendableTogether({ ctx, id });

const keepTogether = togetherBy<{ ctx: Ctx; id: string; gatewayId: string }, string | undefined>(
  callerOf,
  async (list) => {
    const given = list.map(({ id, gatewayId }) => sql`(${id}, ${gatewayId})`);
    const rows = await db
      .update(payments)
      .set({
        gatewayId: sql`coalesce(${payments.gatewayId}, given.gateway_id)`,
        startedAt: sql`now()`,
        unknownSince: keptUnknownSince(payments),
      })
      .from(sql`(values ${sql.join(given, sql`, `)}) as given (id, gateway_id)`)
      .where(
        owned(
          (list[0] as (typeof list)[number]).ctx,
          payments,
          sql`${payments.id} = given.id`,
          sendable,
        ),
      )
      .returning({ id: payments.id, gatewayId: payments.gatewayId });
    return inOrder(list, rows, idOf, idOf).map((row) => row?.gatewayId ?? undefined);
  },
);

/**
 * Commits the gateway's id of an attempt before it is charged there; the first one stays. The attempt counts as sent now, so that staff cannot resolve it
 * while its money may be on its way. Returns the id to charge; undefined for an attempt that may not be charged any more.
 */
export const keepGatewayId = (
  ctx: Ctx,
  id: string,
  gatewayId: string,
): Promise<string | undefined> => keepTogether({ ctx, id, gatewayId });

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

type OfPeriod = { subscriptionId: string; periodStart: string };

/** The attempts at a subscription's period, newest first. */
export const paymentsOfPeriod = setwise<Ctx, OfPeriod, PaymentRow[]>(async (ctx, on, wanted) => {
  const nameOf = (of: { subscriptionId: string | null; periodStart: string | null }) =>
    `${of.subscriptionId} ${of.periodStart}`;
  const keys = wanted.map(
    ({ subscriptionId, periodStart }) => sql`(${subscriptionId}, ${periodStart}::date)`,
  );
  const rows = await on
    .select()
    .from(payments)
    .where(
      owned(
        ctx,
        payments,
        sql`(${payments.subscriptionId}, ${payments.periodStart}) in (${sql.join(keys, sql`, `)})`,
      ),
    )
    .orderBy(desc(payments.startedAt), desc(payments.id));
  const byPeriod = Map.groupBy(rows, nameOf);
  return wanted.map((one) => byPeriod.get(nameOf(one)) ?? []);
});

/** A subscription ended, or its period is paid: its attempts that are not over are looked up from now on, and never sent again. */
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
