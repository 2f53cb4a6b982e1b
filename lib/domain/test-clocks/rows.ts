import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { db, type Executor, type Tx } from "@/db/client";
import { createdFilters, filtered, type Filters } from "@/db/filters";
import { databaseNow } from "@/db/now";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { testClocks as clocks } from "@/db/schema/test-clocks";
import type { TestClockQuery } from "@/lib/contract/test-clocks";
import { type Due, isFree } from "@/lib/jobs/claim-rows";
import type { Ctx } from "../context";

export type ClockRow = typeof clocks.$inferSelect;

const existing = isNull(clocks.deletedAt);

export async function insertClock(
  ctx: Ctx,
  on: Executor,
  id: string,
  values: Pick<ClockRow, "name" | "time">,
): Promise<ClockRow> {
  const [row] = await on
    .insert(clocks)
    .values({ ...values, businessId: ctx.businessId, mode: ctx.mode, id })
    .returning();
  if (!row) throw new Error("the test clock was not written");
  return row;
}

export async function findClock(
  ctx: Ctx,
  id: string,
  on: Executor = db,
): Promise<ClockRow | undefined> {
  const [row] = await on
    .select()
    .from(clocks)
    .where(owned(ctx, clocks, eq(clocks.id, id), existing));
  return row;
}

/** The same call as of a test clock's time; unchanged without a clock, or where it already counts as of a moment. */
export async function atClock(ctx: Ctx, on: Executor, clockId: string | null): Promise<Ctx> {
  if (clockId === null || ctx.now !== undefined) return ctx;
  const clock = await findClock(ctx, clockId, on);
  return clock ? { ...ctx, now: clock.time } : ctx;
}

/** The moment that a call counts as, in milliseconds: of its test clock, else of the database's. */
export const momentOf = async ({ now }: Ctx, on: Executor): Promise<number> =>
  now === undefined ? databaseNow(on) : Date.parse(now);

/** The earliest moment that counts for a record: of these test clocks, of all without ids, or of the database's clock. In milliseconds. */
export async function earliestMoment(ctx: Ctx, clockIds?: readonly string[]): Promise<number> {
  const [row] = await db
    .select({
      ms: sql<number>`extract(epoch from least(now(), min(${clocks.time})))::float8 * 1000`,
    })
    .from(clocks)
    .where(owned(ctx, clocks, existing, clockIds && inArray(clocks.id, [...clockIds])));
  return row?.ms ?? databaseNow();
}

/** SQL: the time of the test clock that a row follows. Other names inside: queries of one table write its columns without its name. */
export const clockTimeOf = (row: { businessId: AnyPgColumn; testClockId: AnyPgColumn }) =>
  sql`(select clock.clock_time from (select business_id as clock_business, id as clock_id, time as clock_time from ${clocks}) as clock
    where clock.clock_business = ${row.businessId} and clock.clock_id = ${row.testClockId})`;

const LEASE_SECONDS = 60;
const leaseEnd = sql`now() + make_interval(secs => ${LEASE_SECONDS})`;
const held = (ctx: Ctx, clock: ClockRow) =>
  owned(ctx, clocks, eq(clocks.id, clock.id), eq(clocks.fence, clock.fence));
/** The advance that was claimed is still wanted: neither cancelled nor replaced by a later one. */
const sameAdvance = (clock: ClockRow) =>
  sql`${clocks.advancingTo} is not null and ${clocks.advanceRequestedAt} is not distinct from ${clock.advanceRequestedAt}::timestamptz`;
const noAdvance = {
  advancingTo: null,
  advanceFrom: null,
  advanceRequestedAt: null,
  advancePausedAt: null,
  nextSliceAt: null,
  advancePeriods: 0,
};

/** Takes the clock for one run, by real time; undefined while another run has it. A run that died is replaced when its lease is over. */
export async function takeClock(ctx: Ctx, on: Executor, id: string): Promise<ClockRow | undefined> {
  const [row] = await on
    .update(clocks)
    .set({ leasedBy: null, leasedUntil: leaseEnd, fence: sql`${clocks.fence} + 1` })
    .where(owned(ctx, clocks, eq(clocks.id, id), existing, isFree(clocks)))
    .returning();
  return row;
}

/** Gives a taken clock back; false when another run has taken it over. */
export async function giveClockBack(ctx: Ctx, on: Executor, clock: ClockRow): Promise<boolean> {
  const rows = await on
    .update(clocks)
    .set({ leasedUntil: null })
    .where(held(ctx, clock))
    .returning({ id: clocks.id });
  return rows.length === 1;
}

/** Requests an advance; undefined while another one waits or runs. One that is paused goes on, to `to`. */
export async function requestAdvance(
  ctx: Ctx,
  tx: Tx,
  id: string,
  to: string,
): Promise<ClockRow | undefined> {
  const [row] = await tx
    .update(clocks)
    .set({
      ...noAdvance,
      advancingTo: sql`greatest(${clocks.time}, ${to}::timestamptz)`,
      advanceFrom: sql`${clocks.time}`,
      advanceRequestedAt: sql`now()`,
      nextSliceAt: sql`now()`,
      updatedAt: sql`now()`,
    })
    .where(
      owned(
        ctx,
        clocks,
        eq(clocks.id, id),
        existing,
        sql`(${clocks.advancingTo} is null or ${clocks.advancePausedAt} is not null)`,
      ),
    )
    .returning();
  return row;
}

/** Ends what is left of an advance: the clock stays where it has come to. Without one nothing changes. */
export async function endAdvance(
  ctx: Ctx,
  on: Executor,
  id: string,
): Promise<ClockRow | undefined> {
  const [row] = await on
    .update(clocks)
    .set({
      ...noAdvance,
      updatedAt: sql`case when ${clocks.advancingTo} is null then ${clocks.updatedAt} else (select now()) end`,
    })
    .where(owned(ctx, clocks, eq(clocks.id, id), existing))
    .returning();
  return row;
}

const wanted = (clock: string) =>
  sql.raw(
    `${clock}.advancing_to is not null and ${clock}.advance_paused_at is null and ${clock}.deleted_at is null`,
  );

/** Advances with a due slice: for each business only the one that was requested first. */
export const dueAdvances: Due<typeof clocks> = {
  table: clocks,
  fairBy: [clocks.businessId],
  moment: sql`coalesce(${clocks.nextSliceAt}, ${clocks.createdAt})`,
  where: sql`${wanted("test_clocks")} and not exists (select 1 from ${clocks} o where o.business_id = ${clocks.businessId} and ${wanted("o")}
    and (coalesce(o.advance_requested_at, o.created_at), o.id) < (coalesce(${clocks.advanceRequestedAt}, ${clocks.createdAt}), ${clocks.id}))`,
};

/** Sets the time of a claimed advance, never back, for one more period; false when it was cancelled or another run has taken it over. */
export async function stepAdvance(ctx: Ctx, clock: ClockRow, time: string): Promise<boolean> {
  const rows = await db
    .update(clocks)
    .set({
      time: sql`greatest(${clocks.time}, ${time}::timestamptz)`,
      advancePeriods: sql`${clocks.advancePeriods} + 1`,
      leasedUntil: leaseEnd,
    })
    .where(and(held(ctx, clock), sameAdvance(clock)))
    .returning({ id: clocks.id });
  return rows.length === 1;
}

/** Gives a claimed advance back after a slice: `paused`, until it is requested again, or for the next slice after so many seconds. */
export async function releaseAdvance(
  ctx: Ctx,
  clock: ClockRow,
  next: "paused" | { seconds: number },
): Promise<void> {
  await db
    .update(clocks)
    .set(
      next === "paused"
        ? { advancePausedAt: sql`now()`, leasedUntil: null, updatedAt: sql`now()` }
        : { nextSliceAt: sql`now() + make_interval(secs => ${next.seconds})`, leasedUntil: null },
    )
    .where(and(held(ctx, clock), sameAdvance(clock)));
  // A cancelled one is only given back.
  await giveClockBack(ctx, db, clock);
}

/** Ends a claimed advance at its target, unless it was cancelled meanwhile. */
export async function finishAdvance(ctx: Ctx, clock: ClockRow): Promise<void> {
  await db
    .update(clocks)
    .set({
      ...noAdvance,
      time: sql`greatest(${clocks.time}, ${clocks.advancingTo})`,
      leasedUntil: null,
      updatedAt: sql`now()`,
    })
    .where(and(held(ctx, clock), sameAdvance(clock)));
  await giveClockBack(ctx, db, clock);
}

/** The clock under its row lock: `key share` for what is to follow it, so that its deletion waits; `update` for that deletion. */
export async function lockClock(
  ctx: Ctx,
  tx: Tx,
  id: string,
  strength: "update" | "key share",
): Promise<ClockRow | undefined> {
  const [row] = await tx
    .select()
    .from(clocks)
    .where(owned(ctx, clocks, eq(clocks.id, id), existing))
    .for(strength);
  return row;
}

/** Takes a clock out of every read; what it dated stays. */
export async function markDeleted(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  await tx
    .update(clocks)
    .set({ deletedAt: sql`now()` })
    .where(owned(ctx, clocks, eq(clocks.id, id)));
}

const inStatus = {
  ready: sql`${clocks.advancingTo} is null`,
  advancing: sql`${clocks.advancingTo} is not null and ${clocks.advancePausedAt} is null`,
  paused: sql`${clocks.advancingTo} is not null and ${clocks.advancePausedAt} is not null`,
};

const filters: Filters<TestClockQuery> = {
  status: (status) => inStatus[status],
  ...createdFilters(clocks.createdAt),
};

const conditions = (ctx: Ctx, query: TestClockQuery) =>
  owned(ctx, clocks, existing, ...filtered(filters, query));

export async function listClocks(ctx: Ctx, query: TestClockQuery, walk: Walk): Promise<ClockRow[]> {
  const { where, orderBy, limit, offset } = keyset(clocks, walk);
  return db
    .select()
    .from(clocks)
    .where(and(conditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
}

export async function countClocks(ctx: Ctx, query: TestClockQuery): Promise<number> {
  return db.$count(clocks, conditions(ctx, query));
}
