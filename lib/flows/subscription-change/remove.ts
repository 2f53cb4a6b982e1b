import type { Subscription } from "@/lib/contract/subscriptions";
import type { Ctx } from "@/lib/domain/context";
import { emit } from "@/lib/domain/events/emit";
import { commit } from "@/lib/domain/idempotency/commit";
import { get } from "@/lib/domain/subscriptions/get";
import { lockSubscription, markDeleted } from "@/lib/domain/subscriptions/rows";
import { isLive } from "@/lib/domain/subscriptions/rules";
import { atClock } from "@/lib/domain/test-clocks/rows";
import { assertSeen } from "@/lib/domain/versions/edits";
import { notFound } from "@/lib/kernel/problem";
import { end, releaseAtGateway } from "./end";

/** Deletes a subscription for good and answers it as it last was; a live one takes no further charge. Throws 404. */
export async function remove(caller: Ctx, id: string): Promise<Subscription> {
  let atGateway: string[] = [];
  const data = await commit(caller, async (tx) => {
    const before = await lockSubscription(caller, tx, id);
    if (!before) throw notFound();
    const ctx = await atClock(caller, tx, before.testClockId);
    const last = await get(ctx, id, tx);
    await assertSeen(ctx, tx, before, () => last);
    await markDeleted(ctx, tx, id);
    if (isLive(before)) atGateway = await end(ctx, tx, before);
    await emit(ctx, tx, { type: "subscription.deleted", objectId: id, data: last });
    return last;
  });
  await releaseAtGateway(caller, atGateway);
  return data;
}
