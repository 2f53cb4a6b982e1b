import type { PaymentLink } from "@/lib/contract/payment-links";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { emit } from "../events/emit";
import { commit } from "../idempotency/commit";
import { assertSeen } from "../versions/edits";
import { atClock } from "../test-clocks/rows";
import { presentLink } from "./present";
import { lockLink, markDeleted } from "./rows";
import { assertChangeable } from "./rules";

/** Deletes a link and answers it as it last was. Throws 404, 409. */
export async function remove(caller: Ctx, id: string): Promise<PaymentLink> {
  return commit(caller, async (tx) => {
    const before = await lockLink(caller, tx, id);
    if (!before) throw notFound();
    const ctx = await atClock(caller, tx, before.testClockId);
    await assertSeen(ctx, tx, before, () => presentLink(before));
    assertChangeable(before);
    await markDeleted(ctx, tx, id);
    const data = presentLink(before);
    await emit(ctx, tx, { type: "payment_link.deleted", objectId: id, data });
    return data;
  });
}
