import { databaseNow } from "@/db/now";
import type { Refund, ResolveRefundInput } from "@/lib/contract/refunds";
import { resolvableAfterHours } from "@/lib/contract/values";
import { conflict, notFound } from "@/lib/kernel/problem";
import { reopenQuarantined } from "../../callbacks/rows";
import type { Ctx } from "../../context";
import { commit } from "../../idempotency/commit";
import { lockPayment } from "../rows";
import { isUnanswered, safeAbsenceMinutes } from "../rules";
import { presentRefund } from "./present";
import { findRefund, lockRefund } from "./rows";
import { settleRefundIn } from "./settle";

/** Ends a refund that has been unknown for a day as staff found it at the gateway. Returns the refund. Throws 404, 409. */
export async function resolve(
  ctx: Ctx,
  refundId: string,
  { outcome }: ResolveRefundInput,
): Promise<Refund> {
  return commit(ctx, async (tx) => {
    const found = await findRefund(ctx, refundId, tx);
    if (!found) throw notFound();
    const payment = await lockPayment(ctx, tx, found.paymentId);
    const refund = await lockRefund(ctx, tx, refundId);
    if (!payment || !refund) throw notFound();
    if (!isUnanswered(refund, await databaseNow(tx)))
      throw conflict(
        `Only a refund that has been unknown for ${resolvableAfterHours} hours can be resolved. After it was sent again, wait ${safeAbsenceMinutes} minutes.`,
      );
    const { paymentId, amount, currency } = refund;
    if (ctx.audit)
      Object.assign(ctx.audit.details, { payment_id: paymentId, amount, currency, outcome });
    await reopenQuarantined(ctx, tx, payment);
    return presentRefund(
      await settleRefundIn(
        ctx,
        tx,
        refundId,
        outcome === "succeeded"
          ? { kind: "succeeded", refundId: refund.gatewayId ?? "", amount, currency }
          : { kind: "failed", reason: "Your team found that nothing was refunded." },
      ),
    );
  });
}
