import type { Tx } from "@/db/client";
import type { Tokenization } from "@/lib/contract/tokenizations";
import { type Ctx, systemCtx } from "../../context";
import { previousOf } from "../../events/changes";
import { emit } from "../../events/emit";
import type { EventRow } from "../../events/rows";
import { atClock } from "../../test-clocks/rows";
import { get } from "../get";
import { changeSubscription, lockSubscription } from "../rows";
import { isLive } from "../rules";
import type { PeriodRow } from "./rows";
import {
  subscriptionsOf,
  unscopedWakePaid,
  unscopedWakeWaiting,
  wakeOpenPeriod,
} from "./wake-rows";

/** The objects of the events of these types. */
export const about = (found: readonly EventRow[], ...types: string[]): string[] =>
  found.filter((event) => types.includes(event.type)).map((event) => event.objectId);

/**
 * Wakes and claims the periods that these events concern: their payment or link has an outcome, or their payer saved a method. `clockId` keeps it
 * to what follows that clock. Subscriptions are locked before periods.
 */
export async function wake(
  tx: Tx,
  found: readonly EventRow[],
  requestId: string,
  clockId?: string,
): Promise<PeriodRow[]> {
  const woken: PeriodRow[] = [];
  for (const event of found)
    if (event.type === "tokenization.activated")
      woken.push(
        ...(await heal(systemCtx(event, { kind: "clock" }, requestId), tx, event, clockId)),
      );
  woken.push(
    ...(await unscopedWakeWaiting(
      tx,
      about(found, "payment.succeeded", "payment.failed"),
      clockId,
    )),
  );
  woken.push(...(await unscopedWakePaid(tx, about(found, "payment_link.paid"), clockId)));
  return woken;
}

/** A payer saved a method: their subscriptions remember it, and an open period is charged with it at once. */
async function heal(
  ctx: Ctx,
  tx: Tx,
  event: EventRow,
  clockId: string | undefined,
): Promise<PeriodRow[]> {
  const { email } = event.data as Pick<Tokenization, "email">;
  const woken: PeriodRow[] = [];
  for (const id of await subscriptionsOf(ctx, tx, email, event.objectId, clockId)) {
    const before = await lockSubscription(ctx, tx, id);
    // Somebody else may have followed the same event meanwhile.
    if (!before || !isLive(before) || before.tokenizationId === event.objectId) continue;
    const at = await atClock(ctx, tx, before.testClockId);
    const was = await get(at, id, tx);
    await changeSubscription(at, tx, id, { tokenizationId: event.objectId });
    woken.push(...(await wakeOpenPeriod(at, tx, id)));
    const data = await get(at, id, tx);
    await emit(at, tx, {
      type: "subscription.updated",
      objectId: id,
      data,
      previous: previousOf(was, data),
    });
  }
  return woken;
}
