import type { ClosePaymentInput, Payment } from "@/lib/contract/payments";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { presentPayment } from "./present";
import { closeIn } from "./settle";

/** Staff have dealt with money of another amount at the gateway: its attempt is over here. Answers the payment. Throws 404, 409. */
export async function close(
  ctx: Ctx,
  paymentId: string,
  { note }: ClosePaymentInput,
): Promise<Payment> {
  return commit(ctx, async (tx) => presentPayment(await closeIn(ctx, tx, paymentId, note ?? null)));
}
