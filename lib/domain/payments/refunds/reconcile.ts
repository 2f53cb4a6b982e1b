import type { FindRefundAnswer } from "@/lib/gateways/gateway";
import { ask, lineOfAttempt } from "../../businesses/line";
import { type Ctx, systemCtx } from "../../context";
import { type FairWork, fairWork } from "../../fair-work";
import { findPayment } from "../rows";
import { knownOf } from "../rules";
import { extendLook, openRefundsOf, type RefundRow, unscopedClaimDueRefunds } from "./rows";
import { isOpen } from "./rules";
import { settleRefund } from "./settle";

/** Asks the gateway what became of a refund and writes it down; one it does not know is sent again under its own key. Answers the refund as it then is. */
export async function reconcileRefund(ctx: Ctx, refund: RefundRow): Promise<RefundRow> {
  if (!isOpen(refund.status)) return refund;
  const { gateway, connection } = await lineOfAttempt(ctx, refund.connectionId);
  const { id: key, paymentId: reference, amount, currency } = refund;
  const payment = await findPayment(ctx, reference);
  const known = payment ? { known: knownOf(payment) } : {};
  let answer: FindRefundAnswer = await ask("looking up a refund", () =>
    gateway.findRefund(connection, { key, reference, ...known }),
  );
  if (answer.kind === "nothing")
    answer = await ask("refunding a payment", () =>
      gateway.refund(connection, { key, reference, amount, currency, ...known }),
    );
  return settleRefund(ctx, refund.id, answer);
}

/** A gateway has spoken of a payment: its refunds that are not over are looked at. */
export async function reconcileRefundsOf(ctx: Ctx, paymentId: string): Promise<void> {
  for (const refund of await openRefundsOf(ctx, paymentId)) await reconcileRefund(ctx, refund);
}

/** The worker's part: looks after refunds that are due. */
export const refundLooks = (): FairWork =>
  fairWork({
    piece: "refund",
    claim: unscopedClaimDueRefunds,
    extend: extendLook,
    work: (refund, requestId) =>
      reconcileRefund(systemCtx(refund, { kind: "clock" }, requestId), refund),
  });
