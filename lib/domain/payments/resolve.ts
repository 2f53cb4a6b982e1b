import type { ResolvePaymentInput, Payment } from "@/lib/contract/payments";
import { reopenQuarantined } from "../callbacks/rows";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { presentPayment } from "./present";
import { resolveIn } from "./settle";

/** Ends a payment that staff dealt with at the gateway: an amount mismatch, or an outcome unknown for a day. Returns the payment. Throws 404, 409. */
export async function resolve(
  ctx: Ctx,
  paymentId: string,
  { note }: ResolvePaymentInput,
): Promise<Payment> {
  return commit(ctx, async (tx) => {
    const row = await resolveIn(ctx, tx, paymentId, note ?? null);
    await reopenQuarantined(ctx, tx, row);
    return presentPayment(row);
  });
}
