import { db, type Tx, withTransaction } from "@/db/client";
import type { Refund, RefundInput } from "@/lib/contract/refunds";
import { holdCaller, recordCall } from "@/lib/domain/audit/record";
import type { Ctx } from "@/lib/domain/context";
import { resolveGatewayOf } from "@/lib/domain/gateway-connections/account";
import { refundErrors, refundsOneByOne } from "@/lib/domain/gateway-connections/amounts";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import { noteClaimBegun } from "@/lib/domain/idempotency/claim";
import { commit } from "@/lib/domain/idempotency/commit";
import { presentRefund } from "@/lib/domain/payments/refunds/present";
import {
  bookedRefundsOf,
  changeRefund,
  findRefund,
  heldOf,
  insertRefund,
  type RefundRow,
  refundsOf,
} from "@/lib/domain/payments/refunds/rows";
import { settleRefundIn } from "@/lib/domain/payments/refunds/settle";
import { findPayment, lockPayment, type PaymentRow } from "@/lib/domain/payments/rows";
import { isRefundable } from "@/lib/domain/payments/refunds/rules";
import { hintOf } from "@/lib/domain/payments/rules";
import { atClock } from "@/lib/domain/test-clocks/rows";
import { newId } from "@/lib/kernel/ids";
import { assertNone, type FieldErrors, notFound } from "@/lib/kernel/problem";
import { assertNoneOpen, decide, decideSupport, findListed } from "./decide";
import { knownOf, reconcileRefund } from "./reconcile";

/**
 * Refunds a payment: `amount`, or all that is left. A refund that was made by hand is only recorded. Returns the refund, whatever its outcome.
 * Throws 404, 409 when nothing can be refunded, 422 on `amount` for more than is left and for what the gateway cannot refund, 503.
 */
export async function create(ctx: Ctx, paymentId: string, input: RefundInput): Promise<Refund> {
  const begun = ctx.claim?.begun ? await findRefund(ctx, ctx.claim.begun) : undefined;
  // A retry after a crash: the refund and its audit entry exist, so it is looked up and never made again.
  if (begun) {
    if (ctx.audit) ctx.audit.written = true;
    const row = await reconcileRefund(ctx, begun);
    return commit(ctx, async () => presentRefund(row));
  }
  const recorded = await isOnlyRecorded(ctx, paymentId, input);
  const refund = await withTransaction(async (tx) => {
    const row = await begin(ctx, tx, paymentId, input, recorded);
    return recorded
      ? settleRefundIn(ctx, tx, row.id, {
          kind: "succeeded",
          refundId: "",
          amount: row.amount,
          currency: row.currency,
        })
      : row;
  });
  if (ctx.audit) ctx.audit.written = true;
  if (recorded) return commit(ctx, async () => presentRefund(refund));
  const { gateway, connection } = await resolveGatewayOf(ctx, refund.connectionId);
  const { id, amount, currency } = refund;
  const payment = await findPayment(ctx, paymentId);
  const known = payment ? await knownOf(ctx, payment) : {};
  const booked = await bookedRefundsOf(ctx, paymentId);
  const answer = await callGateway("refunding a payment", () =>
    gateway.refund(connection, {
      key: id,
      reference: paymentId,
      amount,
      currency,
      booked,
      ...known,
    }),
  );
  return commit(ctx, async (tx) => presentRefund(await settleRefundIn(ctx, tx, id, answer)));
}

/** The field errors that a refund of this payment would have; none for a payment that cannot be refunded at all. */
export async function validateRefund(
  ctx: Ctx,
  paymentId: string,
  { amount }: Partial<RefundInput>,
): Promise<FieldErrors> {
  const payment = await findPayment(ctx, paymentId);
  if (!payment || amount === undefined) return {};
  const decision = decide(payment, await heldOf(ctx, db, payment.id), amount);
  if (decision.kind === "refuse") return decision.problem.options.errors ?? {};
  return refundErrors(payment.gateway, { amount, currency: payment.currency });
}

/**
 * Whether the money went back without Kutip: the payment was recorded by hand, or its gateway cannot refund it and staff did it there. Throws 404, 409
 * for a gateway that cannot refund it, and for a recorded refund that Kutip can make itself, 503 when the gateway does not answer.
 */
async function isOnlyRecorded(ctx: Ctx, paymentId: string, input: RefundInput): Promise<boolean> {
  const payment = await findPayment(ctx, paymentId);
  if (!payment) throw notFound();
  if (payment.connectionId === null) return true;
  if (!isRefundable(payment.status)) return false;
  const { gateway, connection } = await resolveGatewayOf(ctx, payment.connectionId);
  const booked = await bookedRefundsOf(ctx, paymentId);
  const support = await callGateway("asking whether a payment can be refunded", () =>
    gateway.refundSupport(connection, { reference: paymentId, hint: hintOf(payment), booked }),
  );
  const decision = decideSupport(gateway.title, support, input.made_at_gateway ?? false);
  if (decision.kind === "refuse") throw decision.problem;
  return decision.kind === "record";
}

/**
 * Records a refund under the payment's lock, with who asked for it in the audit log. `recorded`: staff made it at the gateway. One that the gateway
 * listed before gets their name and reason instead, once.
 */
async function begin(
  asked: Ctx,
  tx: Tx,
  paymentId: string,
  input: RefundInput,
  recorded: boolean,
): Promise<RefundRow> {
  await holdCaller(asked, tx);
  const payment = await lockPayment(asked, tx, paymentId);
  if (!payment) throw notFound();
  const ctx = await atClock(asked, tx, payment.testClockId);
  const listed = recorded
    ? findListed(await refundsOf(ctx, tx, paymentId), input.amount)
    : undefined;
  const row = listed
    ? await changeRefund(ctx, tx, listed, { actor: ctx.actor, reason: input.reason ?? null })
    : await insertNew(ctx, tx, payment, input);
  await noteClaimBegun(ctx, tx, row.id);
  const { amount, currency } = row;
  if (ctx.audit) Object.assign(ctx.audit.details, { payment_id: paymentId, amount, currency });
  await recordCall(ctx, tx, presentRefund(row));
  return row;
}

async function insertNew(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  input: RefundInput,
): Promise<RefundRow> {
  const decision = decide(payment, await heldOf(ctx, tx, payment.id), input.amount);
  if (decision.kind === "refuse") throw decision.problem;
  const { amount } = decision;
  assertNone(refundErrors(payment.gateway, { amount, currency: payment.currency }));
  if (refundsOneByOne(payment.gateway)) assertNoneOpen(await refundsOf(ctx, tx, payment.id));
  return insertRefund(ctx, tx, payment, { id: newId(), amount, reason: input.reason ?? null });
}
