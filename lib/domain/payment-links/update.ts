import type { PaymentLink, PaymentLinkInput } from "@/lib/contract/payment-links";
import { notFound } from "@/lib/kernel/problem";
import { assertTaken } from "../businesses/line";
import type { Ctx } from "../context";
import { previousOf } from "../events/changes";
import { emit } from "../events/emit";
import { commit } from "../idempotency/commit";
import { valuesOf } from "./create";
import { presentLink } from "./present";
import { changeLink, lockLink } from "./rows";
import { assertChangeable, statusAfterUpdate } from "./rules";

/** Replaces a link's fields; mail goes out only when `send_email` is true. Throws 404, 409. */
export async function update(ctx: Ctx, id: string, input: PaymentLinkInput): Promise<PaymentLink> {
  await assertTaken(ctx, input);
  return commit(ctx, async (tx) => {
    const before = await lockLink(ctx, tx, id);
    if (!before) throw notFound();
    assertChangeable(before);
    const row = await changeLink(ctx, tx, id, {
      ...valuesOf(input),
      ...(input.send_email === undefined ? {} : { sendEmail: input.send_email }),
      status: statusAfterUpdate(before.status),
    });
    const data = presentLink(row);
    await emit(ctx, tx, {
      type: "payment_link.updated",
      objectId: id,
      data,
      previous: previousOf(presentLink(before), data),
      mail: input.send_email === true ? "payment_link" : null,
    });
    return data;
  });
}
