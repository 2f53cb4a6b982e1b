import { type Tx, withTransaction } from "@/db/client";
import type { Tokenization } from "@/lib/contract/tokenizations";
import { type Ctx, systemCtx } from "../../context";
import { previousOf } from "../../events/changes";
import { emit } from "../../events/emit";
import type { EventRow } from "../../events/rows";
import { atClock } from "../../test-clocks/rows";
import { get } from "../get";
import { changeSubscription, lockSubscription } from "../rows";
import { isLive } from "../rules";
import { lookUnderClocks } from "./clock";
import { runClaimed } from "./run";
import {
  type PeriodRow, subscriptionsOf, unscopedFlagUnneeded, unscopedFollowedEvents, unscopedMoveFollower, unscopedSettleVoid, unscopedWakePaid, unscopedWakeWaiting, wakeOpenPeriod,
} from "./rows";

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
    const about = (...types: string[]) => found.filter((event) => types.includes(event.type)).map((event) => event.objectId);
    const payments = about("payment.succeeded", "payment.failed");
    woken.push(...(await unscopedWakeWaiting(tx, payments)), ...(await unscopedWakePaid(tx, about("payment_link.paid"))));
    await unscopedSettleVoid(tx, payments);
    await unscopedFlagUnneeded(tx, payments);
    for (const event of found) if (event.type === "tokenization.activated") woken.push(...(await heal(systemCtx(event, { kind: "clock" }, requestId), tx, event)));
    await unscopedMoveFollower(tx, last);
    return found.length;
  });
  // Were this process to die here, their leases end and the next claim takes them up.
  await runClaimed(woken.filter((period) => period.testClockId === null), requestId, claimedAt);
  await lookUnderClocks(woken.filter((period) => period.testClockId !== null), requestId);
  return done;
}

/** A payer saved a method: their subscriptions remember it, and an open period is charged with it at once. */
async function heal(ctx: Ctx, tx: Tx, event: EventRow): Promise<PeriodRow[]> {
  const { email } = event.data as Pick<Tokenization, "email">;
  const woken: PeriodRow[] = [];
  for (const id of await subscriptionsOf(ctx, tx, email, event.objectId)) {
    const before = await lockSubscription(ctx, tx, id);
    if (!before || !isLive(before)) continue;
    const at = await atClock(ctx, tx, before.testClockId);
    const was = await get(at, id, tx);
    await changeSubscription(at, tx, id, { tokenizationId: event.objectId });
    woken.push(...(await wakeOpenPeriod(at, tx, id)));
    const data = await get(at, id, tx);
    await emit(at, tx, { type: "subscription.updated", objectId: id, data, previous: previousOf(was, data) });
  }
  return woken;
}
