import { setTimeout as pause } from "node:timers/promises";
import { db, type Executor, withTransaction } from "@/db/client";
import type { TestClock } from "@/lib/contract/test-clocks";
import { recordCall } from "@/lib/domain/audit/record";
import type { Ctx } from "@/lib/domain/context";
import { noteClaimBegun } from "@/lib/domain/idempotency/claim";
import { commit } from "@/lib/domain/idempotency/commit";
import { followersOf } from "@/lib/domain/subscriptions/period-rows";
import { openLinksOfClock } from "@/lib/domain/payment-links/clock-rows";
import { presentClock } from "@/lib/domain/test-clocks/present";
import {
  type ClockRow,
  endAdvance,
  findClock,
  giveClockBack,
  lockClock,
  markDeleted,
  requestAdvance,
  takeClock,
} from "@/lib/domain/test-clocks/rows";
import { conflict, invalid, notFound, Problem } from "@/lib/kernel/problem";
import { asOf } from "../renewal/under-clock";
import { cancel } from "../link-change/steps";
import { update } from "../subscription-change/update";

const busy = () => conflict("This test clock is being advanced.");

/** How long a call waits for an advance to end, or for a run that has the clock; by real time. */
export const WAIT_MS = 10_000;
const FIRST_LOOKS_MS = 50;
const LATER_LOOKS_MS = 250;

/** Requests an advance: a worker does it. Throws 404, 409 while the clock is being advanced, 422 on `to` before its time. */
export async function startAdvance(ctx: Ctx, id: string, to: string): Promise<void> {
  const clock = await findClock(ctx, id);
  if (!clock) throw notFound();
  if (to < clock.time) throw invalid({ to: ["The to must be a date after or equal to now."] });
  await withTransaction(async (tx) => {
    const row = await requestAdvance(ctx, tx, id, to);
    if (!row) throw busy();
    await noteClaimBegun(ctx, tx, id);
    await recordCall(ctx, tx, presentClock(row));
  });
}

/** Requests an advance and waits for its end, up to `waitMs` and while the caller is there. Returns how far it has come. */
export async function advance(
  ctx: Ctx,
  id: string,
  to: string,
  waitMs = WAIT_MS,
): Promise<TestClock> {
  // A run of this request that died has requested it, with its audit entry.
  if (!ctx.claim?.begun) await startAdvance(ctx, id, to);
  // The claim on an idempotency key is settled with the answer, after the wait.
  if (ctx.audit) ctx.audit.written = true;
  const began = performance.now();
  for (;;) {
    const row = await findClock(ctx, id);
    if (!row) throw notFound();
    const clock = presentClock(row);
    const waited = performance.now() - began;
    if (clock.status !== "advancing" || waited >= waitMs || ctx.disconnected?.().aborted)
      return clock;
    await pause(waited < 1_000 ? FIRST_LOOKS_MS : LATER_LOOKS_MS);
  }
}

/** Ends an advance where it has come to; without one nothing changes. Throws 404. */
export async function cancelAdvance(ctx: Ctx, id: string): Promise<TestClock> {
  return commit(ctx, async (tx) => {
    const row = await endAdvance(ctx, tx, id);
    if (!row) throw notFound();
    return presentClock(row);
  });
}

/** Takes the clock, after the run that has it. Throws 409 when that takes too long. */
async function takeSoon(ctx: Ctx, id: string): Promise<ClockRow> {
  for (const began = performance.now(); ; await pause(FIRST_LOOKS_MS)) {
    const taken = await takeClock(ctx, db, id);
    if (taken) return taken;
    if (!(await findClock(ctx, id))) throw notFound();
    if (performance.now() - began > WAIT_MS) throw busy();
  }
}

const openFollowers = async (ctx: Ctx, id: string, on: Executor = db) => ({
  subscriptions: await followersOf(ctx, id, on),
  links: await openLinksOfClock(ctx, id, on),
});

/** Cancels what follows a clock, until nothing open does. Throws 409 when something cannot be cancelled now. */
async function endFollowers(ctx: Ctx, id: string): Promise<void> {
  let refused = new Map<string, Problem>();
  for (;;) {
    const { subscriptions, links } = await openFollowers(ctx, id);
    const again = [...subscriptions, ...links].find((one) => refused.has(one));
    if (again !== undefined) throw refused.get(again);
    if (subscriptions.length + links.length === 0) return;
    refused = new Map();
    const end = async (one: string, cancelled: Promise<unknown>) =>
      cancelled.catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        // It may have ended since it was listed.
        refused.set(one, error);
      });
    for (const one of subscriptions) await end(one, update(ctx, one, { status: "cancel" }));
    for (const one of links) await end(one, cancel(ctx, one));
  }
}

/** Marks the clock as deleted; undefined where something follows it by now. No record that follows it can be made meanwhile. */
async function removeUnfollowed(ctx: Ctx, taken: ClockRow): Promise<TestClock | undefined> {
  const { id } = taken;
  try {
    return await commit(ctx, async (tx) => {
      const row = await lockClock(ctx, tx, id, "update");
      const { subscriptions, links } = await openFollowers(ctx, id, tx);
      if (subscriptions.length + links.length > 0) throw new Followed();
      if (!row || !(await giveClockBack(ctx, tx, taken))) throw busy();
      await markDeleted(ctx, tx, id);
      return presentClock(row);
    });
  } catch (error) {
    if (error instanceof Followed) return undefined;
    throw error;
  }
}

class Followed extends Error {}

/**
 * Deletes a clock, ends its advance and cancels the subscriptions and open links that follow it. Throws 404, 409 while a period takes too long or
 * a link is being paid.
 */
export async function removeClock(ctx: Ctx, id: string): Promise<TestClock> {
  if (!(await endAdvance(ctx, db, id))) throw notFound();
  const taken = await takeSoon(ctx, id);
  try {
    for (;;) {
      await endFollowers(asOf(ctx, taken.time), id);
      const removed = await removeUnfollowed(ctx, taken);
      if (removed) return removed;
    }
  } catch (error) {
    await giveClockBack(ctx, db, taken);
    throw error;
  }
}
