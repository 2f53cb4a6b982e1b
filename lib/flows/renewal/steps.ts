import { type Tx, withTransaction } from "@/db/client";
import type { ChargeAnswer } from "@/lib/gateways/gateway";
import { resolveGatewayOf } from "@/lib/domain/gateway-connections/account";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import type { Ctx } from "@/lib/domain/context";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { isWithdrawn, type PaymentRow } from "@/lib/domain/payments/rows";
import { isLive } from "@/lib/domain/payments/rules";
import { settleIn } from "@/lib/domain/payments/settle";
import { releaseAtGateway } from "@/lib/flows/subscription-change/end";
import type { Ask, Charge, Heard } from "./begin";
import { decide, type Next } from "./decide";
import { lockPeriod, lockTerms, type PeriodRow } from "@/lib/domain/subscriptions/period-rows";

/** Does what is due for a period under the fence it was claimed with; nothing when another worker has claimed it since. */
export async function runPeriod(ctx: Ctx, claimed: PeriodRow): Promise<void> {
  await releaseAtGateway(ctx, await chargePeriod(ctx, claimed));
}

/** The same but for closing hosted pages: answers the links whose page nobody needs. */
async function chargePeriod(ctx: Ctx, claimed: PeriodRow): Promise<string[]> {
  let next = await look(ctx, claimed, true);
  if (next.ask) next = await look(ctx, claimed, true, await madeBefore(ctx, next.ask));
  if (next.charge) next = await send(ctx, claimed, next.charge);
  if (claimed.testClockId !== null && next.waitsFor)
    next = await finishAtOnce(ctx, claimed, next.waitsFor);
  return next.release;
}

async function look(ctx: Ctx, claimed: PeriodRow, mayCharge: boolean, told?: Heard): Promise<Next> {
  return withTransaction(async (tx) => {
    const terms = await lockTerms(ctx, tx, claimed.subscriptionId);
    const period = terms && (await lockPeriod(ctx, tx, claimed));
    if (!period || period.fence !== claimed.fence) return { release: [] };
    const next = await decide(ctx, tx, terms, period, mayCharge, told);
    const made = next.charge && told && wasMade(told.answer);
    // Found: it is written down with its outcome, in one commit, and not sent.
    return next.charge && made ? settled(ctx, tx, claimed, next.charge.payment.id, made) : next;
  });
}

async function settled(
  ctx: Ctx,
  tx: Tx,
  claimed: PeriodRow,
  paymentId: string,
  answer: ChargeAnswer,
): Promise<Next> {
  const terms = await lockTerms(ctx, tx, claimed.subscriptionId);
  const period = terms && (await lockPeriod(ctx, tx, claimed));
  await settleIn(ctx, tx, paymentId, answer);
  return period ? decide(ctx, tx, terms, period, false) : { release: [] };
}

/** Asks the gateway, with no transaction open; its answer, the payment, the period and the subscription are one commit. */
async function send(
  ctx: Ctx,
  claimed: PeriodRow,
  { payment, methodId, payer }: Charge,
): Promise<Next> {
  if (await isWithdrawn(ctx, payment.id)) return { release: [] };
  const { gateway, connection } = await resolveGatewayOf(ctx, payment.connectionId);
  const answer = await callGateway("charging a subscription's period", () =>
    gateway.charge(connection, {
      key: payment.id,
      reference: payment.id,
      subscriptionId: payment.subscriptionId,
      payer,
      amount: payment.amount,
      currency: payment.currency,
      title: payment.title,
      methodId,
    }),
  );
  return withTransaction((tx) => settled(ctx, tx, claimed, payment.id, answer));
}

/** What the gateway has of a charge that a restored backup may know nothing of. */
async function madeBefore(ctx: Ctx, { id, connectionId }: Ask): Promise<Heard> {
  const { gateway, connection } = await resolveGatewayOf(ctx, connectionId);
  return {
    id,
    answer: await callGateway("looking for a charge from before a restore", () =>
      gateway.find(connection, id),
    ),
  };
}

const wasMade = (answer: Heard["answer"]): ChargeAnswer | null =>
  answer.kind === "succeeded" || answer.kind === "pending" || answer.kind === "failed"
    ? answer
    : null;

/** Under a test clock nothing waits for real time: a pending charge is finished now, where the gateway can. */
async function finishAtOnce(ctx: Ctx, claimed: PeriodRow, payment: PaymentRow): Promise<Next> {
  const { gateway, connection } = await resolveGatewayOf(ctx, payment.connectionId);
  await gateway.settleNow(connection, payment.id);
  const after = await reconcile(ctx, payment);
  return isLive(after.status) ? { release: [] } : look(ctx, claimed, false);
}
