import { db } from "@/db/client";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import type { PeriodRow } from "@/lib/domain/subscriptions/period-rows";
import { giveClockBack, takeClock } from "@/lib/domain/test-clocks/rows";
import { runPeriod } from "./steps";

/** A context of the service that counts as of a clock's time. */
export const asOf = (ctx: Ctx, now: string): Ctx => ({
  ...systemCtx(ctx, { kind: "clock" }, ctx.requestId),
  now,
});

/** Runs periods that have news as of their clock's time; a clock that is being advanced runs them itself. */
export async function runUnderClocks(
  periods: readonly PeriodRow[],
  requestId: string,
): Promise<void> {
  for (const period of periods) {
    const ctx = systemCtx(period, { kind: "clock" }, requestId);
    const taken =
      period.testClockId === null ? undefined : await takeClock(ctx, db, period.testClockId);
    if (!taken) continue;
    try {
      await runPeriod(asOf(ctx, taken.time), period);
    } finally {
      await giveClockBack(ctx, db, taken);
    }
  }
}
