import type { Ctx } from "@/lib/domain/context";
import { resolveGatewayOf } from "@/lib/domain/gateway-connections/account";
import { databaseNow } from "@/db/now";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import {
  bookedRefundsOf,
  findRefund,
  noteSentAgain,
  openRefundsOf,
  type RefundRow,
} from "@/lib/domain/payments/refunds/rows";
import { isOpen } from "@/lib/domain/payments/refunds/rules";
import { settleRefund } from "@/lib/domain/payments/refunds/settle";
import { payerEmailOf } from "@/lib/domain/payments/payer-rows";
import { findPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { hintOf, maySendAgain } from "@/lib/domain/payments/rules";
import type { FindRefundAnswer, RefundRequest } from "@/lib/gateways/gateway";
import { log } from "@/lib/kernel/log";
import { syncRefundsAndDisputes } from "../dispute/steps";
import { contradicts, decideAbsent } from "./decide";

/**
 * Looks a refund up at the gateway and writes the result. A refund that is not there is sent again under its own key, where a key makes one refund.
 * Elsewhere it has failed once no request can still be on its way. Returns the refund as it then is.
 */
export async function reconcileRefund(ctx: Ctx, refund: RefundRow): Promise<RefundRow> {
  if (!isOpen(refund.status)) return refund;
  const { gateway, connection } = await resolveGatewayOf(ctx, refund.connectionId);
  const { id: key, paymentId: reference, amount, currency } = refund;
  const payment = await findPayment(ctx, reference);
  const known = payment ? await knownOf(ctx, payment) : {};
  const booked = await bookedRefundsOf(ctx, reference);
  const asked = { key, reference, amount, currency, booked, ...known };
  let answer: FindRefundAnswer = await callGateway("looking up a refund", () =>
    gateway.findRefund(connection, asked),
  );
  if (answer.kind === "nothing") {
    const now = await databaseNow();
    if (!gateway.refundIsIdempotent) return settleRefund(ctx, refund.id, decideAbsent(refund, now));
    if (maySendAgain(refund, now)) {
      // Staff may have resolved it since, and money must not go back after they said that none did.
      if (!(await noteSentAgain(ctx, refund.id)))
        return (await findRefund(ctx, refund.id)) ?? refund;
      answer = await callGateway("refunding a payment", () => gateway.refund(connection, asked));
    }
  }
  const settled = await settleRefund(ctx, refund.id, answer);
  return contradicts(answer, settled) ? settleByList(ctx, settled) : settled;
}

/** Staff said the outcome of a refund while the gateway was asked, which answers the opposite. Its list decides: it is newer than both. */
async function settleByList(ctx: Ctx, refund: RefundRow): Promise<RefundRow> {
  const synced = await syncRefundsAndDisputes(ctx, refund.paymentId);
  for (const problem of synced?.problems ?? [])
    log.error(
      { request_id: ctx.requestId, refund: refund.id, problem },
      "the gateway contradicts the outcome of a refund",
    );
  return (await findRefund(ctx, refund.id)) ?? refund;
}

/** What helps to find a refund's payment, and to reach its payer. */
export async function knownOf(
  ctx: Ctx,
  payment: PaymentRow,
): Promise<Pick<RefundRequest, "hint" | "payerEmail">> {
  const payerEmail = await payerEmailOf(ctx, payment);
  return { hint: hintOf(payment), ...(payerEmail ? { payerEmail } : {}) };
}

/** Looks up the refunds of a payment that have no outcome; for a callback about the payment. */
export async function reconcileRefundsOf(ctx: Ctx, paymentId: string): Promise<void> {
  for (const refund of await openRefundsOf(ctx, paymentId)) await reconcileRefund(ctx, refund);
}
