import type { Tx } from "@/db/client";
import type { ToldRefund } from "@/lib/gateways/gateway";
import { newId } from "@/lib/kernel/ids";
import { displayAmount } from "@/lib/kernel/money";
import type { Ctx } from "../../context";
import type { PaymentRow } from "../rows";
import {
  findRefund,
  heldOf,
  insertRefund,
  openRefundsOf,
  refundByGatewayId,
  type RefundRow,
} from "./rows";
import { failAfterAllIn, settleRefundIn } from "./settle";

/** `mustWait`: a refund of ours that has no outcome holds the money that this one has given back. */
type Outcome = { problem?: string; mustWait?: boolean };

/** A refund that the gateway tells of: one made there is written down once it has gone through, one that failed after all is taken back. */
export async function recordRefund(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  told: ToldRefund,
): Promise<Outcome> {
  const known =
    (await ours(ctx, tx, payment, told)) ??
    (await refundByGatewayId(ctx, tx, payment.id, told.refundId));
  if (known) return follow(ctx, tx, known, told);
  // While it is on its way nothing is written: ours are sent again, and it is not ours to send.
  if (told.status !== "succeeded") return {};
  const { refundId, amount, currency } = told;
  const left = payment.amount - (await heldOf(ctx, tx, payment.id));
  if (
    currency === payment.currency &&
    amount > left &&
    (await openRefundsOf(ctx, payment.id, tx)).length > 0
  )
    return { mustWait: true };
  if (currency !== payment.currency || amount > left || amount <= 0)
    return {
      problem: `${saidOf(told)}: that does not fit what is left of payment ${payment.id}, and is not booked.`,
    };
  const row = await insertRefund(ctx, tx, payment, {
    id: newId(),
    amount,
    reason: "Made at the gateway",
  });
  await settleRefundIn(ctx, tx, row.id, { kind: "succeeded", refundId, amount, currency });
  return {};
}

const saidOf = ({ refundId, amount, currency }: ToldRefund) =>
  `The gateway gave back ${displayAmount(amount, currency)} (${refundId})`;

/** The refund of this payment that we asked for under this key. Whoever owns the account can write anything there. */
async function ours(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  { key }: ToldRefund,
): Promise<RefundRow | undefined> {
  const row = key === null ? undefined : await findRefund(ctx, key, tx);
  return row?.paymentId === payment.id ? row : undefined;
}

async function follow(ctx: Ctx, tx: Tx, row: RefundRow, told: ToldRefund): Promise<Outcome> {
  const same = told.amount === row.amount && told.currency === row.currency;
  if (row.status === "succeeded" && told.status === "failed" && same)
    await failAfterAllIn(
      ctx,
      tx,
      row.id,
      told.reason ?? "The gateway could not give the money back.",
    );
  else if (row.status === "failed" && told.status === "succeeded")
    return { problem: `${saidOf(told)}: refund ${row.id} had failed here, and is not booked.` };
  else if (row.status === "succeeded" && !same)
    return {
      problem: `${saidOf(told)}: refund ${row.id} was of ${displayAmount(row.amount, row.currency)}, and stays as it is.`,
    };
  return {};
}
