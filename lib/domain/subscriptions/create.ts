import type { Subscription, SubscriptionInput } from "@/lib/contract/subscriptions";
import { newId } from "@/lib/kernel/ids";
import { invalid } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { emit } from "../events/emit";
import { commit } from "../idempotency/commit";
import { addSubscriber } from "../packages/subscribers";
import { atClock, findClock } from "../test-clocks/rows";
import { activeTokenOf } from "../tokenizations/rows";
import { anchorOf, plannedPeriod } from "./engine/plan";
import { insertPeriod, zoneAndNow } from "./engine/rows";
import { presentSubscription } from "./present";
import { insertSubscription } from "./rows";

/**
 * Subscribes a payer to a package and plans the first period; charging comes later. Throws 422 on `package_id` for a package that takes no
 * subscribers or cannot be charged, and on `test_clock_id` for an unknown clock.
 */
export async function create(caller: Ctx, input: SubscriptionInput): Promise<Subscription> {
  return commit(caller, async (tx) => {
    const clock = input.test_clock_id === undefined ? undefined : await findClock(caller, input.test_clock_id, tx);
    if (input.test_clock_id !== undefined && !clock) throw invalid({ test_clock_id: ["The selected test clock id is invalid."] });
    const ctx = await atClock(caller, tx, clock?.id ?? null);
    const subscribedTo = await addSubscriber(ctx, tx, input.package_id);
    const { timeZone, now } = await zoneAndNow(ctx, tx);
    const id = newId();
    const anchor = anchorOf(subscribedTo, timeZone, now);
    const first = plannedPeriod({ subscription: { id, anchor, testClockId: clock?.id ?? null }, package: subscribedTo, timeZone, now }, 0);
    const row = await insertSubscription(ctx, tx, id, {
      packageId: subscribedTo.id, email: input.email, phoneNo: input.phone_no ?? null, tokenizationId: await activeTokenOf(ctx, tx, input.email),
      anchor, testClockId: clock?.id ?? null, nextChargeAt: first.dueAt,
    });
    await insertPeriod(ctx, tx, first);
    const data = presentSubscription({ ...row, package: subscribedTo, links: [] });
    await emit(ctx, tx, { type: "subscription.created", objectId: row.id, data });
    return data;
  });
}
