import { and, asc, eq, getTableColumns, inArray, isNotNull, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { newRows, nowOf } from "@/db/columns";
import { owned } from "@/db/owned";
import { changeRows, inOrder, setwise } from "@/db/sets";
import { businesses } from "@/db/schema/businesses";
import { gatewayConnections as connections } from "@/db/schema/gateway-connections";
import { packages } from "@/db/schema/packages";
import { payments } from "@/db/schema/payments";
import { settings } from "@/db/schema/settings";
import { restoredKey } from "@/db/setting-keys";
import { subscriptionPeriods as periods } from "@/db/schema/subscription-periods";
import { subscriptions } from "@/db/schema/subscriptions";
import { tokenizations } from "@/db/schema/tokenizations";
import type { Due } from "@/lib/jobs/claim-rows";
import type { Ctx } from "../context";
import type { PackageRow } from "../packages/rows";
import { isCounted } from "../payments/kind-rows";
import type { SubscriptionRow } from "./rows";

export type PeriodRow = typeof periods.$inferSelect;
/** What planning a period needs of a subscription. */
export type Anchored = Pick<SubscriptionRow, "id" | "anchor" | "testClockId">;
export type NewPeriod = Pick<
  PeriodRow,
  | "subscriptionId"
  | "number"
  | "periodStart"
  | "periodEnd"
  | "dueAt"
  | "nextAttemptAt"
  | "testClockId"
>;
/**
 * What a decision about a subscription needs, the subscription itself locked. `restoredAt`: when a backup was last put in place, if ever; `revoked`:
 * the gateway account of its saved method is not connected any more.
 */
export type Terms = {
  subscription: SubscriptionRow;
  package: PackageRow;
  timeZone: string;
  retryDays: number[];
  now: string;
  restoredAt: string | null;
  revoked: boolean;
};

const unfinished = inArray(periods.state, ["due", "charging", "open"]);
type PeriodKey = Pick<PeriodRow, "subscriptionId" | "periodStart">;
const nameOf = ({ subscriptionId, periodStart }: PeriodKey) => `${subscriptionId} ${periodStart}`;

/** Plans a period; nothing happens when it is there already. */
export const insertPeriod = setwise<Ctx, NewPeriod, void>(async (ctx, on, list) => {
  await on
    .insert(periods)
    .select(
      newRows(
        periods,
        list.map((values) => ({ ...values, businessId: ctx.businessId, mode: ctx.mode })),
        { createdAt: nowOf(ctx), updatedAt: nowOf(ctx) },
      ),
    )
    .onConflictDoNothing();
  return [];
});

/** The business's zone, and the moment this call counts as. */
export async function zoneAndNow(
  ctx: Ctx,
  on: Executor,
): Promise<{ timeZone: string; now: string }> {
  const [row] = await on
    .select({
      timeZone: businesses.timeZone,
      now: sql<string>`${nowOf(ctx)}`.mapWith(businesses.createdAt),
    })
    .from(businesses)
    .where(eq(businesses.id, ctx.businessId));
  if (!row) throw new Error("no such business");
  return row;
}

const restoredAt = sql<
  string | null
>`(select ${settings.value} from ${settings} where ${settings.key} = ${restoredKey})`;

const revoked = ({
  businessId,
}: Ctx) => sql<boolean>`exists (select 1 from ${tokenizations} join ${connections} on ${connections.businessId} = ${tokenizations.businessId}
  and ${connections.id} = ${tokenizations.connectionId} where ${tokenizations.businessId} = ${businessId} and ${tokenizations.id} = ${subscriptions.tokenizationId}
  and ${connections.revokedAt} is not null)`;

/** A subscription under its row lock, deleted ones too, with its terms and the moment this counts as. */
export const lockTerms = setwise<Ctx, string, Terms | undefined>(async (ctx, tx, ids) => {
  const rows: Terms[] = await tx
    .select({
      subscription: subscriptions,
      package: packages,
      timeZone: businesses.timeZone,
      retryDays: businesses.retryDays,
      now: sql<string>`${nowOf(ctx)}`.mapWith(subscriptions.createdAt),
      restoredAt,
      revoked: revoked(ctx),
    })
    .from(subscriptions)
    .innerJoin(
      packages,
      and(
        eq(packages.businessId, subscriptions.businessId),
        eq(packages.id, subscriptions.packageId),
      ),
    )
    .innerJoin(businesses, eq(businesses.id, subscriptions.businessId))
    .where(owned(ctx, subscriptions, inArray(subscriptions.id, [...ids])))
    .orderBy(asc(subscriptions.id))
    .for("no key update", { of: subscriptions });
  return inOrder(ids, rows, String, ({ subscription }) => subscription.id);
});

/** A period under its row lock; to be taken after its subscription's and before links' and payments'. */
export const lockPeriod = setwise<Ctx, PeriodKey, PeriodRow | undefined>(
  async (ctx, tx, wanted) => {
    const keys = wanted.map(
      ({ subscriptionId, periodStart }) => sql`(${subscriptionId}, ${periodStart}::date)`,
    );
    const found = await tx
      .select()
      .from(periods)
      .where(
        owned(
          ctx,
          periods,
          sql`(${periods.subscriptionId}, ${periods.periodStart}) in (${sql.join(keys, sql`, `)})`,
        ),
      )
      .orderBy(asc(periods.subscriptionId), asc(periods.periodStart))
      .for("no key update");
    return inOrder(wanted, found, nameOf, nameOf);
  },
);

type PeriodChange = { row: PeriodKey; change: Partial<PeriodRow> };
const changePeriods = setwise<Ctx, PeriodChange, void>(async (ctx, tx, list) => {
  const changes = list.map(({ row: { subscriptionId, periodStart }, change }) => ({
    where: { subscriptionId, periodStart },
    set: { leasedUntil: null, ...change },
  }));
  await changeRows(tx, periods, owned(ctx, periods), changes, { updatedAt: nowOf(ctx) });
  return [];
});

/** Changes a locked period and ends its lease. */
export const changePeriod = (
  ctx: Ctx,
  tx: Tx,
  row: PeriodKey,
  change: Partial<PeriodRow>,
): Promise<void> => changePeriods(ctx, tx, { row, change });

/**
 * Drops what the period of a locked subscription had planned for the payer before. It waits for its link, which is overdue from this moment on, and
 * retries are counted from the next failure. A charge under way goes on. Returns whether the period is open.
 */
export async function awaitLink(
  ctx: Ctx,
  tx: Tx,
  subscriptionId: string,
  overdueAt: string,
): Promise<boolean> {
  const rows = await tx
    .update(periods)
    .set({
      firstFailedAt: null,
      retryAt: null,
      dueAt: null,
      overdueAt,
      // Earlier where the period has news: its link may be paid already.
      nextAttemptAt: sql`least(${periods.nextAttemptAt}, ${overdueAt}::timestamptz)` as never,
      updatedAt: nowOf(ctx),
    })
    .where(
      owned(
        ctx,
        periods,
        eq(periods.subscriptionId, subscriptionId),
        inArray(periods.state, ["charging", "open"]),
      ),
    )
    .returning({ state: periods.state });
  return rows.some(({ state }) => state === "open");
}

/**
 * Has the open period of a locked subscription wait for a payment of its link as for a charge of its own: what follows a failure is decided at once.
 * A worker looks soon, and again until it is over.
 */
export async function awaitPayment(
  ctx: Ctx,
  tx: Tx,
  subscriptionId: string,
  paymentId: string,
): Promise<void> {
  await tx
    .update(periods)
    .set({
      state: "charging",
      paymentId,
      nextAttemptAt: sql`least(${periods.nextAttemptAt}, ${nowOf(ctx)})` as never,
      updatedAt: nowOf(ctx),
    })
    .where(
      owned(ctx, periods, eq(periods.subscriptionId, subscriptionId), eq(periods.state, "open")),
    );
}

/** The payment that had paid a period by now, whether or not the engine has looked since. */
const paidBy = sql`(select ${payments.id} from ${payments} where ${payments.businessId} = ${periods.businessId} and ${payments.subscriptionId} = ${periods.subscriptionId}
  and ${payments.periodStart} = ${periods.periodStart} and ${isCounted} order by ${payments.succeededAt} limit 1)`;

/** Ends what is not over of a subscription that ends; what was paid a moment before stays paid. */
export async function voidPeriods(ctx: Ctx, tx: Tx, subscriptionId: string): Promise<void> {
  await tx
    .update(periods)
    .set({
      state: sql`case when ${paidBy} is null then 'void' else 'paid' end` as never,
      paymentId: sql`coalesce(${paidBy}, ${periods.paymentId})` as never,
      dueAt: null,
      nextAttemptAt: null,
      leasedUntil: null,
      updatedAt: nowOf(ctx),
    })
    .where(owned(ctx, periods, eq(periods.subscriptionId, subscriptionId), unfinished));
}

/** Periods that are due by the real clock. Those with news or a retry come before those that begin. */
export const duePeriods: Due<typeof periods> = {
  table: periods,
  fairBy: [periods.businessId],
  moment: periods.nextAttemptAt,
  where: sql`${periods.nextAttemptAt} is not null and ${periods.testClockId} is null`,
  first: sql`(${periods.state} = 'due')`,
};

/** The period that comes due first by a test clock, until `to`. */
export async function nextOfClock(
  ctx: Ctx,
  clockId: string,
  to: string,
): Promise<PeriodRow | undefined> {
  const [row] = await db
    .select()
    .from(periods)
    .where(
      owned(
        ctx,
        periods,
        eq(periods.testClockId, clockId),
        sql`${periods.nextAttemptAt} <= ${to}::timestamptz`,
      ),
    )
    .orderBy(asc(periods.nextAttemptAt), asc(periods.subscriptionId))
    .limit(1);
  return row;
}

/** Due whatever its test clock's time: its outcome came, or its payer saved a method. */
const hasNews = sql`${periods.state} in ('charging', 'open') and ${periods.nextAttemptAt} <= ${periods.createdAt}`;

/** A period of a test clock that has news. */
export async function periodWithNews(ctx: Ctx, clockId: string): Promise<PeriodRow | undefined> {
  const [row] = await db
    .select()
    .from(periods)
    .where(owned(ctx, periods, eq(periods.testClockId, clockId), hasNews))
    .orderBy(asc(periods.nextAttemptAt), asc(periods.subscriptionId))
    .limit(1);
  return row;
}

/** The periods under test clocks that have news, of subscriptions that remember this saved method. */
export async function periodsWithNews(
  ctx: Ctx,
  on: Executor,
  tokenizationId: string,
): Promise<PeriodRow[]> {
  return on
    .select(getTableColumns(periods))
    .from(periods)
    .innerJoin(
      subscriptions,
      and(
        eq(subscriptions.businessId, periods.businessId),
        eq(subscriptions.id, periods.subscriptionId),
      ),
    )
    .where(
      owned(
        ctx,
        periods,
        isNotNull(periods.testClockId),
        eq(subscriptions.tokenizationId, tokenizationId),
        hasNews,
      ),
    );
}

/** The live subscriptions that follow a clock. */
export async function followersOf(ctx: Ctx, clockId: string, on: Executor): Promise<string[]> {
  const rows = await on
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(
      owned(
        ctx,
        subscriptions,
        eq(subscriptions.testClockId, clockId),
        sql`${subscriptions.status} <> 'cancel' and ${subscriptions.deletedAt} is null`,
      ),
    )
    .orderBy(asc(subscriptions.createdAt), asc(subscriptions.id));
  return rows.map(({ id }) => id);
}

export const ofPeriod = and(
  eq(periods.businessId, payments.businessId),
  eq(periods.subscriptionId, payments.subscriptionId),
  eq(periods.periodStart, payments.periodStart),
);
