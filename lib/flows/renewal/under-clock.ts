import { db } from "@/db/client";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { type PeriodRow, periodWithNews } from "@/lib/domain/subscriptions/period-rows";
import { giveClockBack, takeClock } from "@/lib/domain/test-clocks/rows";
import { runPeriod } from "./steps";

/** A context of the service that counts as of a clock's time. */
export const asOf = (ctx: Ctx, now: string): Ctx => ({
  ...systemCtx(ctx, { kind: "clock" }, ctx.requestId),
  now,
});

/** Runs what has news under the clocks of these periods. A run that has a clock just then does so itself, when it gives the clock back. */
export async function runUnderClocks(
  periods: readonly PeriodRow[],
  requestId: string,
): Promise<void> {
  for (const [clockId, [period]] of Map.groupBy(periods, ({ testClockId }) => testClockId))
    if (clockId !== null && period)
      await runNews(systemCtx(period, { kind: "clock" }, requestId), clockId);
}

/**
 * Runs the periods of a free clock that have news, as of its time. It looks again each time that it has given the clock back, since others leave
 * their news to the run that has the clock.
 */
export async function runNews(ctx: Ctx, clockId: string): Promise<void> {
  for (;;) {
    const period = await periodWithNews(ctx, clockId);
    const taken = period && (await takeClock(ctx, db, clockId));
    if (!taken) return;
    try {
      await runPeriod(asOf(ctx, taken.time), period);
    } finally {
      await giveClockBack(ctx, db, taken);
    }
  }
}
