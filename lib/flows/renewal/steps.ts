import { withTransaction } from "@/db/client";
import { resolveGatewayOf } from "@/lib/domain/gateway-connections/account";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import type { Ctx } from "@/lib/domain/context";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { sendCharge } from "@/lib/flows/charge/send";
import { isWithdrawn, type PaymentRow } from "@/lib/domain/payments/rows";
import { isLive } from "@/lib/domain/payments/rules";
import { releaseAtGateway } from "@/lib/flows/subscription-change/end";
import { advance, type Next, type Options, settleCharge } from "./apply";
import type { Charge } from "./begin";
import { lockPeriod, lockTerms, type PeriodRow } from "@/lib/domain/subscriptions/period-rows";

const done: Next = { kind: "done", release: [] };

/** Runs what is due for a claimed period. Does nothing when another worker has claimed it since. */
export async function runPeriod(ctx: Ctx, claimed: PeriodRow): Promise<void> {
  await releaseAtGateway(ctx, await chargePeriod(ctx, claimed));
}

/** Returns the ids of links that have a hosted page to close. */
async function chargePeriod(ctx: Ctx, claimed: PeriodRow): Promise<string[]> {
  let next = await look(ctx, claimed, { mayCharge: true });
  if (next.kind === "look_up")
    next = await look(ctx, claimed, { mayCharge: true, found: await lookUp(ctx, next) });
  if (next.kind === "send") next = await send(ctx, claimed, next.charge);
  if (next.kind === "await" && claimed.testClockId !== null)
    next = await finishAtOnce(ctx, claimed, next.payment);
  return next.kind === "done" ? next.release : [];
}

/** One transaction: locks the subscription, then the period, and writes the next decision. */
async function look(ctx: Ctx, claimed: PeriodRow, options: Options): Promise<Next> {
  return withTransaction(async (tx) => {
    const terms = await lockTerms(ctx, tx, claimed.subscriptionId);
    const period = terms && (await lockPeriod(ctx, tx, claimed));
    if (!period || period.fence !== claimed.fence) return done;
    return advance(ctx, tx, terms, period, options);
  });
}

/** Charges the saved method, with no transaction open. The answer, payment, period and subscription are one commit. */
async function send(
  ctx: Ctx,
  claimed: PeriodRow,
  { payment, methodId, payer }: Charge,
): Promise<Next> {
  if (await isWithdrawn(ctx, payment.id)) return done;
  const account = await resolveGatewayOf(ctx, payment.connectionId);
  const answer = await sendCharge(ctx, account, payment, { methodId, payer });
  return withTransaction((tx) => settleCharge(ctx, tx, claimed, payment.id, answer));
}

/** Asks the gateway for a charge that was made after the backup, and that the restored rows do not know. */
async function lookUp(
  ctx: Ctx,
  { id, connectionId }: Extract<Next, { kind: "look_up" }>,
): Promise<Options["found"]> {
  const { gateway, connection } = await resolveGatewayOf(ctx, connectionId);
  const answer = await callGateway("looking for a charge from before a restore", () =>
    gateway.find(connection, id),
  );
  return { id, answer, provesAbsence: gateway.provesAbsence };
}

/** Under a test clock nothing waits for real time: a pending charge is finished now, where the gateway can. */
async function finishAtOnce(ctx: Ctx, claimed: PeriodRow, payment: PaymentRow): Promise<Next> {
  const { gateway, connection } = await resolveGatewayOf(ctx, payment.connectionId);
  await gateway.settleNow(connection, payment.id);
  const after = await reconcile(ctx, payment);
  return isLive(after.status) ? done : look(ctx, claimed, { mayCharge: false });
}
