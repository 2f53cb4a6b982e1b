import { db, withTransaction } from "@/db/client";
import { type Ctx, systemCtx } from "../../context";
import { type FairWork, fairWork } from "../../fair-work";
import {
  type ClockRow,
  extendLease,
  finishAdvance,
  giveClockBack,
  releaseAdvance,
  stepAdvance,
  unscopedClaimAdvances,
} from "../../test-clocks/rows";
import { asOf } from "./clock";
import { unfollowedEvents } from "./follow-rows";
import { nextOfClock } from "./rows";
import { runPeriod } from "./run";
import { wake } from "./wake";

/** A slice ends after so many periods or so long, whichever comes first, and the next business has its turn. */
const SLICE_PERIODS = 50;
const SLICE_MS = 2_000;
const RETRY_SECONDS = 10;
/** An advance pauses after so many periods, so that a mistake in `to` does not fill the disk. */
export const ADVANCE_PERIODS = 10_000;

type Options = {
  /** Keeps it to one business. */
  businessId?: number;
  /** Done before an advance ends, so that its caller sees the outcome. */
  beforeEnd?: () => Promise<unknown>;
  slicePeriods?: number;
  pauseAfter?: number;
};

/** The worker's part: advances that are due, one of a business at a time, a slice at a time. */
export const advances = (options: Options = {}): FairWork =>
  fairWork<ClockRow>({
    piece: "test_clock",
    claim: ({ limit }) => unscopedClaimAdvances(limit, options.businessId),
    extend: (clock) => extendLease(systemCtx(clock, { kind: "clock" }, ""), clock),
    work: (clock, requestId) => workSlice(clock, requestId, options),
  });

/** One round of the same, to its end: returns how many advances it worked a slice of. */
export async function advanceDue(requestId: string, options: Options = {}): Promise<number> {
  const round = advances(options);
  const claimed = await round.poll(requestId);
  await round.drain();
  return claimed;
}

async function workSlice(clock: ClockRow, requestId: string, options: Options): Promise<void> {
  const ctx = systemCtx(clock, { kind: "clock" }, requestId);
  try {
    await advanceSlice(ctx, clock, options);
  } catch (error) {
    await releaseAdvance(ctx, clock, { seconds: RETRY_SECONDS });
    throw error;
  }
}

async function advanceSlice(
  ctx: Ctx,
  clock: ClockRow,
  {
    beforeEnd = async () => undefined,
    slicePeriods = SLICE_PERIODS,
    pauseAfter = ADVANCE_PERIODS,
  }: Options,
): Promise<void> {
  const to = clock.advancingTo ?? clock.time;
  let { time } = clock;
  const until = performance.now() + SLICE_MS;
  // What was paid or saved meanwhile comes first, as of the clock's time, whether or not the follower has seen it.
  await withTransaction(async (tx) =>
    wake(tx, await unfollowedEvents(ctx, tx), ctx.requestId, clock.id),
  );
  for (let count = 0; ; count++) {
    const period = await nextOfClock(ctx, clock.id, to);
    if (!period) {
      await beforeEnd();
      return finishAdvance(ctx, clock);
    }
    if (clock.advancePeriods + count >= pauseAfter) return releaseAdvance(ctx, clock, "paused");
    if (count >= slicePeriods || performance.now() > until)
      return releaseAdvance(ctx, clock, { seconds: 0 });
    const due = period.nextAttemptAt ?? time;
    if (due > time) time = due;
    if (!(await stepAdvance(ctx, clock, time))) return void (await giveClockBack(ctx, db, clock));
    await runPeriod(asOf(ctx, time), period);
  }
}
