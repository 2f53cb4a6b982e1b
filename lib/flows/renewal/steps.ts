import { allOf, transactionOver } from "@/db/sets";
import { isRevoked, resolveGatewayOf } from "@/lib/domain/gateway-connections/account";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import type { Ctx } from "@/lib/domain/context";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { sendCharge } from "@/lib/flows/charge/send";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { isLive } from "@/lib/domain/payments/rules";
import { releaseAtGateway } from "@/lib/flows/subscription-change/end";
import { advance, type Next, type Options } from "./apply";
import type { Charge } from "./begin";
import { type Booking, createBooking } from "./booking";
import { lockPeriod, lockTerms, type PeriodRow } from "@/lib/domain/subscriptions/period-rows";

const done: Next = { kind: "done", release: [] };

/** Runs what is due for claimed periods, each of another subscription. Does nothing about one that another worker has claimed since. */
export async function runPeriods(ctx: Ctx, claimed: readonly PeriodRow[]): Promise<void> {
  const nexts = await look(ctx, claimed, { mayCharge: true });
  const booking = createBooking(ctx);
  await allOf(claimed.map((period, at) => finish(ctx, period, nexts[at] ?? done, booking)));
}

/** The same for one period. */
export const runPeriod = (ctx: Ctx, claimed: PeriodRow): Promise<void> =>
  runPeriods(ctx, [claimed]);

/** Does what remains of a period after its first look. */
async function finish(ctx: Ctx, claimed: PeriodRow, first: Next, booking: Booking): Promise<void> {
  let next = first;
  while (next.kind === "look_up" || next.kind === "send")
    next =
      next.kind === "send"
        ? await send(ctx, claimed, next.charge, booking)
        : await lookAgain(ctx, claimed, { mayCharge: true, found: await lookUp(ctx, next) });
  if (next.kind === "await" && claimed.testClockId !== null)
    next = await finishAtOnce(ctx, claimed, next.payment);
  if (next.kind === "done") await releaseAtGateway(ctx, next.release);
}

/** One transaction: locks the subscriptions, then the periods, and writes the next decision about each. */
const look = (ctx: Ctx, claimed: readonly PeriodRow[], options: Options): Promise<Next[]> =>
  transactionOver(claimed, async (tx, one) => {
    const terms = await lockTerms(ctx, tx, one.subscriptionId);
    const period = terms && (await lockPeriod(ctx, tx, one));
    if (!period || period.fence !== one.fence) return done;
    return advance(ctx, tx, terms, period, options);
  });

const lookAgain = async (ctx: Ctx, claimed: PeriodRow, options: Options): Promise<Next> =>
  (await look(ctx, [claimed], options))[0] ?? done;

/** Charges the saved method, with no transaction open. The answer, payment, period and subscription are one commit. */
async function send(
  ctx: Ctx,
  claimed: PeriodRow,
  { payment, methodId, payer }: Charge,
  booking: Booking,
): Promise<Next> {
  const account = await resolveGatewayOf(ctx, payment.connectionId);
  return booking(claimed, payment.id, async () => {
    const answer = await sendCharge(ctx, account, payment, { methodId, payer });
    // A revoked gateway account is no decline: nothing was sent, and the period is charged anew.
    return answer.kind === "failed" && isRevoked(account)
      ? { kind: "cancelled", gatewayId: "" }
      : answer;
  });
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
  return isLive(after.status) ? done : lookAgain(ctx, claimed, { mayCharge: false });
}
