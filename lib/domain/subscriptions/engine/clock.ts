import { setTimeout as pause } from "node:timers/promises";
import { db, withTransaction } from "@/db/client";
import type { TestClock } from "@/lib/contract/test-clocks";
import { conflict, invalid, notFound } from "@/lib/kernel/problem";
import { type Ctx, systemCtx } from "../../context";
import { commit } from "../../idempotency/commit";
import { presentClock } from "../../test-clocks/present";
import {
  type ClockRow,
  findClock,
  giveClockBack,
  lockClock,
  markDeleted,
  setClock,
  takeClock,
} from "../../test-clocks/rows";
import { update } from "../update";
import { unfollowedEvents } from "./follow-rows";
import { followersOf, nextOfClock, type PeriodRow } from "./rows";
import { runPeriod } from "./run";
import { wake } from "./wake";

const busy = () => conflict("This test clock is being advanced.");
const asOf = (ctx: Ctx, now: string): Ctx => ({
  ...systemCtx(ctx, { kind: "clock" }, ctx.requestId),
  now,
});
/** How long a call waits for the worker, which takes a clock for a moment to look at what was just paid; by real time, as the pauses between its tries. */
const patienceMs = 10_000;
const pauseMs = 50;

const later = (one: string, other: string) => (one > other ? one : other);

/** Advances a clock and does all that comes due on the way, in order and as of each moment. Throws 404, 409 while it is being advanced, 422 on `to` before its time. */
export async function advance(ctx: Ctx, id: string, to: string): Promise<TestClock> {
  const clock = await findClock(ctx, id);
  if (!clock) throw notFound();
  if (to < clock.time) throw invalid({ to: ["The to must be a date after or equal to now."] });
  const taken = await takeSoon(ctx, id, to);
  await runUntil(ctx, taken, to);
  return commit(ctx, async (tx) => {
    const row = await giveClockBack(ctx, tx, taken, to);
    if (!row) throw busy();
    return presentClock(row);
  });
}

/** Takes the clock, after the worker if that looks at something of it just now. Throws 409 while it is being advanced. */
async function takeSoon(ctx: Ctx, id: string, to: string): Promise<ClockRow> {
  for (const began = performance.now(); ; await pause(pauseMs)) {
    const taken = await takeClock(ctx, db, id, to);
    if (taken) return taken;
    const clock = await findClock(ctx, id);
    if (!clock) throw notFound();
    const onlyLookedAt = clock.advancingTo === null || clock.advancingTo === clock.time;
    if (!onlyLookedAt || performance.now() - began > patienceMs) throw busy();
  }
}

async function runUntil(ctx: Ctx, taken: ClockRow, to: string): Promise<void> {
  let { time } = taken;
  try {
    // What was paid or saved before this call comes first, as of the time the clock stands at, whether or not the worker has seen it.
    await withTransaction(async (tx) =>
      wake(tx, await unfollowedEvents(ctx, tx), ctx.requestId, taken.id),
    );
    for (
      let period = await nextOfClock(ctx, taken.id, to);
      period;
      period = await nextOfClock(ctx, taken.id, to)
    ) {
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
export async function lookUnderClocks(
  periods: readonly PeriodRow[],
  requestId: string,
): Promise<void> {
  for (const period of periods) {
    const ctx = systemCtx(period, { kind: "clock" }, requestId);
    const clock =
      period.testClockId === null ? undefined : await findClock(ctx, period.testClockId);
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
  const taken = await takeSoon(ctx, id, clock.time);
  for (const subscription of await followersOf(ctx, id))
    await update(asOf(ctx, taken.time), subscription, { status: "cancel" });
  return commit(ctx, async (tx) => {
    const row = await giveClockBack(ctx, tx, taken, taken.time);
    if (!row || !(await lockClock(ctx, tx, id))) throw busy();
    await markDeleted(ctx, tx, id);
    return presentClock(row);
  });
}
