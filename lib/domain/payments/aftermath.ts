import { type Tx, withTransaction } from "@/db/client";
import type { Aftermath } from "@/lib/gateways/gateway";
import { ask, lineOfAttempt } from "../businesses/line";
import type { Ctx } from "../context";
import { atClock } from "../test-clocks/rows";
import { recordDisputes } from "./disputes";
import { recordRefund } from "./refunds/elsewhere";
import { findPayment, lockPayment, type PaymentRow, raiseFence } from "./rows";
import { isLive, knownOf } from "./rules";

/** What is told cannot be written yet: to be tried again, ever later. */
export class TooEarly extends Error {}

/** `problems`: what was told and is not booked, in words for people. */
export type Recorded = { told: Aftermath; problems: string[] };

const mostRounds = 8;

/**
 * What was done with the money at the gateway itself becomes ours: refunds made or failed there, and disputes. Null where nothing was ever taken.
 * Throws when the gateway does not tell, and TooEarly while something of ours has to be over first.
 */
export async function recordAftermath(ctx: Ctx, paymentId: string): Promise<Recorded | null> {
  for (let rounds = 0; rounds < mostRounds; rounds++) {
    const payment = await findPayment(ctx, paymentId);
    if (payment && isLive(payment.status) && !payment.flags.includes("mismatch"))
      throw new TooEarly("the payment has no outcome yet");
    if (!payment || payment.succeededAt === null || payment.connectionId === null) return null;
    const { gateway, connection } = await lineOfAttempt(ctx, payment.connectionId);
    const told = await ask("looking up what followed a payment", () =>
      gateway.aftermath(connection, payment.id, knownOf(payment)),
    );
    if (told.kind === "unknown") throw new Error(told.reason);
    if (told.refunds.length === 0 && told.dispute === null && told.movements.length === 0)
      return { told, problems: [] };
    const written = await withTransaction((tx) => write(ctx, tx, payment, told));
    if (written?.waits) throw new TooEarly("a refund of ours has no outcome yet");
    if (written) return { told, problems: written.problems };
  }
  throw new TooEarly("others write down what followed this payment");
}

/** Null when somebody has written since the gateway was asked: what they were told may be newer than this. */
async function write(
  asked: Ctx,
  tx: Tx,
  seen: PaymentRow,
  told: Aftermath,
): Promise<{ problems: string[]; waits: boolean } | null> {
  const payment = await lockPayment(asked, tx, seen.id);
  if (!payment) throw new Error("no such payment");
  if (payment.fence !== seen.fence) return null;
  await raiseFence(asked, tx, payment.id);
  const ctx = await atClock(asked, tx, payment.testClockId);
  const said: string[] = [];
  let waits = false;
  for (const refund of told.refunds) {
    const { problem, mustWait } = await recordRefund(ctx, tx, payment, refund);
    if (problem) said.push(problem);
    waits ||= mustWait === true;
  }
  said.push(...(await recordDisputes(ctx, tx, payment.id, told)));
  return { problems: said, waits };
}
