import { and, eq, isNull, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { testClocks as clocks } from "@/db/schema/test-clocks";
import type { TestClockQuery } from "@/lib/contract/test-clocks";
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

const free = sql`(${clocks.leasedUntil} is null or ${clocks.leasedUntil} <= now())`;
const lease = sql`now() + interval '60 seconds'`;

/** Takes the clock for one run, by real time; undefined while another run has it. A run that died is replaced when its lease is over. */
export async function takeClock(
  ctx: Ctx,
  on: Executor,
  id: string,
  to: string,
): Promise<ClockRow | undefined> {
  const [row] = await on
    .update(clocks)
    .set({
      advancingTo: sql`greatest(${clocks.time}, ${to}::timestamptz)`,
      leasedUntil: lease,
      fence: sql`${clocks.fence} + 1`,
    })
    .where(owned(ctx, clocks, eq(clocks.id, id), existing, free))
    .returning();
  return row;
}

/** Sets the time of a taken clock, never back, and keeps it taken; false when another run has taken it over. */
export async function setClock(ctx: Ctx, clock: ClockRow, time: string): Promise<boolean> {
  const rows = await db
    .update(clocks)
    .set({ time: sql`greatest(${clocks.time}, ${time}::timestamptz)`, leasedUntil: lease })
    .where(owned(ctx, clocks, eq(clocks.id, clock.id), eq(clocks.fence, clock.fence)))
    .returning({ id: clocks.id });
  return rows.length === 1;
}

/** Gives a taken clock back, standing at `time`; undefined when another run has taken it over. */
export async function giveClockBack(
  ctx: Ctx,
  on: Executor,
  clock: ClockRow,
  time: string,
): Promise<ClockRow | undefined> {
  const [row] = await on
    .update(clocks)
    .set({
      time: sql`greatest(${clocks.time}, ${time}::timestamptz)`,
      advancingTo: null,
      leasedUntil: null,
      updatedAt: sql`now()`,
    })
    .where(owned(ctx, clocks, eq(clocks.id, clock.id), eq(clocks.fence, clock.fence)))
    .returning();
  return row;
}

/** The clock under its row lock. */
export async function lockClock(ctx: Ctx, tx: Tx, id: string): Promise<ClockRow | undefined> {
  const [row] = await tx
    .select()
    .from(clocks)
    .where(owned(ctx, clocks, eq(clocks.id, id), existing))
    .for("no key update");
  return row;
}

/** Takes a clock out of every read; what it dated stays. */
export async function markDeleted(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  await tx
    .update(clocks)
    .set({ deletedAt: sql`now()` })
    .where(owned(ctx, clocks, eq(clocks.id, id)));
}

function conditions(ctx: Ctx, query: TestClockQuery) {
  return and(
    owned(ctx, clocks, existing),
    query.status === undefined
      ? undefined
      : sql`${clocks.advancingTo} is ${query.status === "ready" ? sql`null` : sql`not null`}`,
    query.created_from === undefined
      ? undefined
      : sql`${clocks.createdAt} >= ${query.created_from}::timestamptz`,
    query.created_to === undefined
      ? undefined
      : sql`${clocks.createdAt} <= ${query.created_to}::timestamptz`,
  );
}

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
