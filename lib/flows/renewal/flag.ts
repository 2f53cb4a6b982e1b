import type { Tx } from "@/db/client";
import { systemCtx } from "@/lib/domain/context";
import { emit } from "@/lib/domain/events/emit";
import { presentPayment } from "@/lib/domain/payments/present";
import { flagPayments } from "@/lib/domain/subscriptions/follow-rows";
import { atClock } from "@/lib/domain/test-clocks/rows";

/** Flags payments for periods that ended without them, so that people can refund them. Emits an event for each. */
export async function flagUnneeded(
  tx: Tx,
  businessId: number,
  paymentIds: readonly string[],
  requestId: string,
): Promise<void> {
  for (const payment of await flagPayments(tx, businessId, paymentIds)) {
    const ctx = await atClock(
      systemCtx(payment, { kind: "clock" }, requestId),
      tx,
      payment.testClockId,
    );
    await emit(ctx, tx, {
      type: "payment.flagged",
      objectId: payment.id,
      data: presentPayment(payment),
      previous: { flags: payment.flags.slice(0, -1) },
    });
  }
}
