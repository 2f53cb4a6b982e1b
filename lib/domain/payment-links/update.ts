import type { PaymentLink, PaymentLinkUpdate } from "@/lib/contract/payment-links";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { emitMove } from "../customers/moves";
import { previousOf } from "../events/changes";
import { emit } from "../events/emit";
import { commit } from "../idempotency/commit";
import { assertSeen, editOf } from "../versions/edits";
import { valuesOf } from "./create";
import { assertClockKept } from "../test-clocks/follow";
import { atClock } from "../test-clocks/rows";
import { presentLink } from "./present";
import { replanReminders } from "./reminder-rows";
import { changeLink, lockLink } from "./rows";
import { assertChangeable, statusAfterUpdate } from "./rules";
import { assertLink } from "./validate";

/** Replaces a link's fields; mail goes out only when `send_email` is true. Throws 404, 409. */
export async function update(
  caller: Ctx,
  id: string,
  input: PaymentLinkUpdate,
): Promise<PaymentLink> {
  await assertLink(caller, input, id);
  return commit(caller, async (tx) => {
    const before = await lockLink(caller, tx, id);
    if (!before) throw notFound();
    const ctx = await atClock(caller, tx, before.testClockId);
    await assertSeen(ctx, tx, before, () => presentLink(before));
    assertChangeable(before);
    const status = statusAfterUpdate(before.status);
    if (status !== before.status) await assertClockKept(ctx, tx, before.testClockId);
    const values = valuesOf(input);
    const row = await changeLink(ctx, tx, id, {
      ...values,
      ...editOf(ctx, before, values),
      ...(input.send_email === undefined ? {} : { sendEmail: input.send_email }),
      status,
    });
    await replanReminders(ctx, tx, before, row);
    const [was, data] = [presentLink(before), presentLink(row)];
    await emit(ctx, tx, {
      type: "payment_link.updated",
      objectId: id,
      data,
      previous: previousOf(was, data),
      mail: input.send_email === true ? "payment_link" : null,
    });
    await emitMove(ctx, tx, was, data);
    return data;
  });
}
