import { db, withTransaction } from "@/db/client";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import {
  type ClockRow,
  finishAdvance,
  giveClockBack,
  releaseAdvance,
  stepAdvance,
  dueAdvances,
} from "@/lib/domain/test-clocks/rows";
import { asOf, runNews } from "@/lib/flows/renewal/under-clock";
import { nextLinkOfClock } from "@/lib/domain/payment-links/clock-rows";
import { nextOfClock } from "@/lib/domain/subscriptions/period-rows";
import { runPeriod } from "@/lib/flows/renewal/steps";
import { enqueue } from "@/lib/flows/renewal/enqueue";
import { expireLink } from "@/lib/flows/expiry/steps";
import { remind } from "@/lib/flows/reminders/steps";
import { mailComposition } from "@/lib/flows/mailing/job";
import { unconsumedEvents } from "@/lib/domain/events/queue-rows";
import { defineJob } from "@/lib/jobs/define";
import { createRunner } from "@/lib/jobs/runner";
import { decide } from "./decide";

/** A slice ends after so many periods or so long, whichever comes first, and the next business has its turn. */
const SLICE_PERIODS = 50;
const SLICE_MS = 2_000;
const RETRY_SECONDS = 10;
/** An advance pauses after so many periods, so that a mistake in `to` does not fill the disk. */
export const ADVANCE_PERIODS = 10_000;

type Options = { slicePeriods?: number; sliceMs?: number; pauseAfter?: number };

/** Works advances that are due, one of a business at a time, a slice at a time. */
export function defineAdvances(options: Options = {}) {
  return defineJob({
    name: "advance test clocks",
    due: dueAdvances,
    perTenant: 1,
    // A slice that fails plans the next one itself.
    backOffSeconds: [0, 0],
    work: async ([clock], { requestId }) => {
      if (!clock) return;
      const ctx = systemCtx(clock, { kind: "clock" }, requestId);
      try {
        await advanceSlice(ctx, clock, options);
      } catch (error) {
        await releaseAdvance(ctx, clock, { seconds: RETRY_SECONDS });
        throw error;
      }
      await runNews(ctx, clock.id);
    },
  });
}

export const advances = defineAdvances();

/** Composes the mails of the periods that ran, so that they are in the outbox when the advance ends. */
async function composeMails({ businessId, requestId }: Ctx): Promise<void> {
  const runner = createRunner(mailComposition, { only: businessId });
  while ((await runner.poll(requestId)) > 0) await runner.drain();
}

/** What comes due: a period of a subscription, a reminder or the expiry of a link. */
type Piece = { at: string | null; run: (ctx: Ctx) => Promise<unknown> };

/** What comes due first by a test clock, until `to`. */
async function nextPiece(ctx: Ctx, clockId: string, to: string): Promise<Piece | undefined> {
  const [period, link] = await Promise.all([
    nextOfClock(ctx, clockId, to),
    nextLinkOfClock(ctx, clockId, to),
  ]);
  if (link && !(period && (period.nextAttemptAt ?? "") <= link.at)) {
    const work = link.expires ? expireLink : remind;
    return { at: link.at, run: (at) => withTransaction<unknown>((tx) => work(at, tx, link.id)) };
  }
  return period && { at: period.nextAttemptAt, run: (at) => runPeriod(at, period) };
}

async function advanceSlice(
  ctx: Ctx,
  clock: ClockRow,
  { slicePeriods = SLICE_PERIODS, sliceMs = SLICE_MS, pauseAfter = ADVANCE_PERIODS }: Options,
): Promise<void> {
  const to = clock.advancingTo ?? clock.time;
  let { time } = clock;
  const until = performance.now() + sliceMs;
  // What was paid or saved meanwhile comes first, as of the clock's time, whether or not it was consumed.
  await withTransaction(async (tx) =>
    enqueue(
      tx,
      ctx.businessId,
      await unconsumedEvents(ctx, tx, "subscriptions"),
      ctx.requestId,
      clock.id,
    ),
  );
  for (let count = 0; ; count++) {
    const piece = await nextPiece(ctx, clock.id, to);
    const decision = decide(
      {
        dueAt: piece?.at,
        time,
        ranInSlice: count,
        ranInAll: clock.advancePeriods + count,
        isSliceOver: performance.now() > until,
      },
      { slicePeriods, pauseAfter },
    );
    if (decision.kind === "finish" || !piece) {
      await composeMails(ctx);
      return finishAdvance(ctx, clock);
    }
    if (decision.kind === "pause") return releaseAdvance(ctx, clock, "paused");
    if (decision.kind === "yield") return releaseAdvance(ctx, clock, { seconds: 0 });
    ({ time } = decision);
    if (!(await stepAdvance(ctx, clock, time))) return void (await giveClockBack(ctx, db, clock));
    await piece.run(asOf(ctx, time));
  }
}
