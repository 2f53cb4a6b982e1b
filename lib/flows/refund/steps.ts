import { db, type Tx, withTransaction } from "@/db/client";
import type { Refund, RefundInput } from "@/lib/contract/refunds";
import { holdCaller, recordCall } from "@/lib/domain/audit/record";
import { reopenQuarantined } from "@/lib/domain/callbacks/rows";
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
  openRefundsOf,
  type RefundRow,
  refundsOf,
} from "@/lib/domain/payments/refunds/rows";
import { settleRefundIn } from "@/lib/domain/payments/refunds/settle";
import { findPayment, lockPayment, type PaymentRow, raiseFence } from "@/lib/domain/payments/rows";
import { isOpen } from "@/lib/domain/payments/refunds/rules";
import { hintOf } from "@/lib/domain/payments/rules";
import type { RefundState } from "@/lib/gateways/gateway";
import { atClock } from "@/lib/domain/test-clocks/rows";
import { newId } from "@/lib/kernel/ids";
import { assertNone, type FieldErrors, notFound } from "@/lib/kernel/problem";
import { matchRefunds } from "../dispute/decide";
import {
  assertNoneOpen,
  decide,
  decideListed,
  decideSupport,
  findListed,
  type ListedDecision,
  tryAgain,
} from "./decide";
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
  const { way, refund } = await beginNow(ctx, paymentId, input);
  if (ctx.audit) ctx.audit.written = true;
  if (way.kind !== "ask") return commit(ctx, async () => presentRefund(refund));
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

/** `listed`: staff made it at the gateway, which listed these refunds while the payment had this fence. */
type Way =
  | { kind: "ask" }
  | { kind: "record" }
  | {
      kind: "listed";
      fence: number;
      title: string;
      listed: readonly RefundState[];
      namesKeys: boolean;
    };

/**
 * How the money goes back, or went back without Kutip: the payment was recorded by hand, or staff returned it. Throws 404, 409 where nothing of it can be
 * refunded or its gateway cannot do so, 503 when the gateway does not answer.
 */
async function wayOf(ctx: Ctx, paymentId: string, input: RefundInput): Promise<Way> {
  const payment = await findPayment(ctx, paymentId);
  if (!payment) throw notFound();
  if (payment.connectionId === null) return { kind: "record" };
  const allowed = decide(payment, 0, undefined);
  if (allowed.kind === "refuse") throw allowed.problem;
  const made = input.made_at_gateway ?? false;
  // Before anything says how to return the money: it may be on its way.
  if (!made && refundsOneByOne(payment.gateway))
    assertNoneOpen(await openRefundsOf(ctx, paymentId));
  const { gateway, connection } = await resolveGatewayOf(ctx, payment.connectionId);
  const { title, refundIsIdempotent: namesKeys } = gateway;
  const booked = await bookedRefundsOf(ctx, paymentId);
  const hint = hintOf(payment);
  const support = await callGateway("asking whether a payment can be refunded", () =>
    gateway.refundSupport(connection, { reference: paymentId, hint, booked }),
  );
  const decision = decideSupport(title, support, made);
  if (decision.kind === "refuse") throw decision.problem;
  if (decision.kind !== "look") return decision;
  const found = await callGateway("looking up a refund that staff made", () =>
    gateway.refundsAndDisputes(connection, paymentId, hint, booked),
  );
  if (found.kind !== "found") throw tryAgain(`${title} did not list the refunds of this payment.`);
  return { kind: "listed", fence: payment.fence, title, listed: found.refunds, namesKeys };
}

const MAX_ROUNDS = 8;

/** Records a refund. The gateway is asked again where another process has written since what it lists. */
async function beginNow(
  ctx: Ctx,
  paymentId: string,
  input: RefundInput,
): Promise<{ way: Way; refund: RefundRow }> {
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    const way = await wayOf(ctx, paymentId, input);
    const refund = await withTransaction((tx) => begin(ctx, tx, paymentId, input, way));
    if (refund) return { way, refund };
  }
  throw tryAgain("Other processes keep changing this payment.");
}

/**
 * Records a refund under the payment's lock, with who asked for it in the audit log; one that staff made has succeeded. One that the gateway listed
 * before gets their name and reason instead, once. Undefined where what the gateway listed may be old.
 */
async function begin(
  asked: Ctx,
  tx: Tx,
  paymentId: string,
  input: RefundInput,
  way: Way,
): Promise<RefundRow | undefined> {
  await holdCaller(asked, tx);
  const payment = await lockPayment(asked, tx, paymentId);
  if (!payment) throw notFound();
  if (way.kind === "listed" && payment.fence !== way.fence) return undefined;
  const ctx = await atClock(asked, tx, payment.testClockId);
  const { row, refundId } = await written(ctx, tx, payment, input, way);
  await noteClaimBegun(ctx, tx, row.id);
  const { amount, currency } = row;
  if (ctx.audit) Object.assign(ctx.audit.details, { payment_id: paymentId, amount, currency });
  await recordCall(ctx, tx, presentRefund(row));
  if (way.kind === "ask") return row;
  await reopenQuarantined(ctx, tx, payment);
  return settleRefundIn(ctx, tx, row.id, { kind: "succeeded", refundId, amount, currency });
}

/** The row of a refund, with the gateway's id of one that the gateway lists and that had no record. */
async function written(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  input: RefundInput,
  way: Way,
): Promise<{ row: RefundRow; refundId: string }> {
  const none = { refundId: "" };
  if (way.kind === "ask") return { ...none, row: await insertNew(ctx, tx, payment, input) };
  const refunds = await refundsOf(ctx, tx, payment.id);
  const reason = input.reason ?? null;
  const made = way.kind === "listed" ? await findMade(ctx, tx, payment, refunds, input, way) : null;
  if (made?.kind === "record") {
    const { amount, refundId } = made.listed;
    await raiseFence(ctx, tx, payment.id);
    return { refundId, row: await insertRefund(ctx, tx, payment, { id: newId(), amount, reason }) };
  }
  const before = findListed(refunds, input.amount);
  if (before)
    return { ...none, row: await changeRefund(ctx, tx, before, { actor: ctx.actor, reason }) };
  if (made) throw made.problem;
  return { ...none, row: await insertNew(ctx, tx, payment, input) };
}

/** Which of the listed refunds staff record. */
async function findMade(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  refunds: readonly RefundRow[],
  { amount }: RefundInput,
  { title, listed, namesKeys }: Extract<Way, { kind: "listed" }>,
): Promise<ListedDecision> {
  const { fresh } = matchRefunds(refunds, listed, namesKeys);
  const left = payment.amount - (await heldOf(ctx, tx, payment.id));
  const open = refunds.filter(({ status }) => isOpen(status));
  return decideListed(title, payment, amount ?? left, { fresh, left, open });
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
