import { withTransaction } from "@/db/client";
import { lookUnderClocks } from "./clock";
import { flagUnneeded } from "./flag";
import { unscopedFollowedEvents, unscopedMoveFollower, unscopedSettleVoid } from "./follow-rows";
import type { PeriodRow } from "./rows";
import { runClaimed } from "./run";
import { about, wake } from "./wake";

/**
 * The worker's part: follows what became of payments, links and saved methods, in the order it was committed and each once. It wakes the
 * periods concerned and has them look for themselves, ahead of the renewals that wait their turn. Answers how many events it followed.
 */
export async function followEvents(limit: number, requestId: string): Promise<number> {
  const woken: PeriodRow[] = [];
  const claimedAt = performance.now();
  const done = await withTransaction(async (tx) => {
    const found = await unscopedFollowedEvents(tx, limit);
    const last = found?.at(-1);
    if (!found || !last) return 0;
    woken.push(...(await wake(tx, found, requestId)));
    const payments = about(found, "payment.succeeded", "payment.failed");
    await unscopedSettleVoid(tx, payments);
    await flagUnneeded(tx, payments, requestId);
    await unscopedMoveFollower(tx, last);
    return found.length;
  });
  // Were this process to die here, their leases end and the next claim takes them up.
  await runClaimed(
    woken.filter((period) => period.testClockId === null),
    requestId,
    claimedAt,
  );
  await lookUnderClocks(
    woken.filter((period) => period.testClockId !== null),
    requestId,
  );
  return done;
}
