import { db } from "@/db/client";
import type { TestClock } from "@/lib/contract/test-clocks";
import { conflict, invalid, notFound } from "@/lib/kernel/problem";
import { type Ctx, systemCtx } from "../../context";
import { commit } from "../../idempotency/commit";
import { presentClock } from "../../test-clocks/present";
import { type ClockRow, findClock, giveClockBack, lockClock, markDeleted, setClock, takeClock } from "../../test-clocks/rows";
import { update } from "../update";
import { followersOf, nextOfClock, type PeriodRow } from "./rows";
import { runPeriod } from "./run";

const busy = () => conflict("This test clock is being advanced.");
const asOf = (ctx: Ctx, now: string): Ctx => ({ ...systemCtx(ctx, { kind: "clock" }, ctx.requestId), now });
const later = (one: string, other: string) => (one > other ? one : other);

/** Advances a clock and does all that comes due on the way, in order and as of each moment. Throws 404, 409 while it is being advanced, 422 on `to` before its time. */
export async function advance(ctx: Ctx, id: string, to: string): Promise<TestClock> {
  const clock = await findClock(ctx, id);
  if (!clock) throw notFound();
  if (to < clock.time) throw invalid({ to: ["The to must be a date after or equal to now."] });
  const taken = await takeClock(ctx, db, id, to);
  if (!taken) throw busy();
  await runUntil(ctx, taken, to);
  return commit(ctx, async (tx) => {
    const row = await giveClockBack(ctx, tx, taken, to);
    if (!row) throw busy();
    return presentClock(row);
  });
}

async function runUntil(ctx: Ctx, taken: ClockRow, to: string): Promise<void> {
  let { time } = taken;
  try {
    for (let period = await nextOfClock(ctx, taken.id, to); period; period = await nextOfClock(ctx, taken.id, to)) {
      time = later(time, period.nextAttemptAt ?? time);
      if (!(await setClock(ctx, taken, time))) throw busy();
      await runPeriod(asOf(ctx, time), period);
    }
  } catch (error) {
    await giveClockBack(ctx, db, taken, time);
    throw error;
  }
}

/** Periods of clocks that stand were paid or got a new method: they are looked at as of their clock's time. One that is being advanced looks for itself. */
export async function lookUnderClocks(periods: readonly PeriodRow[], requestId: string): Promise<void> {
  for (const period of periods) {
    const ctx = systemCtx(period, { kind: "clock" }, requestId);
    const clock = period.testClockId === null ? undefined : await findClock(ctx, period.testClockId);
    const taken = clock && (await takeClock(ctx, db, clock.id, clock.time));
    if (!taken) continue;
    try {
      await runPeriod(asOf(ctx, taken.time), period);
    } finally {
      await giveClockBack(ctx, db, taken, taken.time);
    }
  }
}

/** Deletes a clock and cancels the subscriptions that follow it. Throws 404, 409 while it is being advanced. */
export async function removeClock(ctx: Ctx, id: string): Promise<TestClock> {
  const clock = await findClock(ctx, id);
  if (!clock) throw notFound();
  const taken = await takeClock(ctx, db, id, clock.time);
  if (!taken) throw busy();
  for (const subscription of await followersOf(ctx, id)) await update(asOf(ctx, taken.time), subscription, { status: "cancel" });
  return commit(ctx, async (tx) => {
    const row = await giveClockBack(ctx, tx, taken, taken.time);
    if (!row || !(await lockClock(ctx, tx, id))) throw busy();
    await markDeleted(ctx, tx, id);
    return presentClock(row);
  });
}
