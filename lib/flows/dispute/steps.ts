import { type Tx, withTransaction } from "@/db/client";
import type { Ctx } from "@/lib/domain/context";
import { resolveGatewayOf } from "@/lib/domain/gateway-connections/account";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import { bookedRefundsOf } from "@/lib/domain/payments/refunds/rows";
import { findPayment, lockPayment, type PaymentRow, raiseFence } from "@/lib/domain/payments/rows";
import { isLive, hintOf } from "@/lib/domain/payments/rules";
import { atClock } from "@/lib/domain/test-clocks/rows";
import type { RefundsAndDisputes } from "@/lib/gateways/gateway";
import { recordDisputes, recordRefunds } from "./record";

/** The gateway's answer cannot be written yet: the work is tried again later. */
export class TooEarly extends Error {}

/** The gateway's answer does not say how much went back, and may never. */
export class Unclear extends TooEarly {}

/** `problems`: what the gateway lists and is not booked, in words for staff. */
export type Synced = { found: RefundsAndDisputes; problems: string[] };

const MAX_ROUNDS = 8;

/**
 * Writes refunds and disputes as the gateway has them, also those made without us. Null for a payment that never took money.
 * Throws when the gateway gives no answer, Unclear when its answer does not say it, and TooEarly while a payment or refund here has no outcome.
 */
export async function syncRefundsAndDisputes(ctx: Ctx, paymentId: string): Promise<Synced | null> {
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    const payment = await findPayment(ctx, paymentId);
    if (payment && isLive(payment.status) && !payment.flags.includes("amount_mismatch"))
      throw new TooEarly("the payment has no outcome yet");
    if (!payment || payment.succeededAt === null || payment.connectionId === null) return null;
    const { gateway, connection } = await resolveGatewayOf(ctx, payment.connectionId);
    const booked = await bookedRefundsOf(ctx, payment.id);
    const found = await callGateway("looking up what followed a payment", () =>
      gateway.refundsAndDisputes(connection, payment.id, hintOf(payment), booked),
    );
    if (found.kind === "unknown") throw new Error(found.reason);
    if (found.kind === "unclear") throw new Unclear(found.reason);
    if (found.refunds.length === 0 && found.dispute === null && found.movements.length === 0)
      return { found, problems: [] };
    const namesKeys = gateway.refundIsIdempotent;
    const written = await withTransaction((tx) => write(ctx, tx, payment, found, namesKeys));
    if (written?.waits) throw new TooEarly("a refund that was made here has no outcome yet");
    if (written) return { found, problems: written.problems };
  }
  throw new TooEarly("other processes keep changing this payment");
}

/** Null when another worker has written since the gateway was asked: its answer may be newer than this one. */
async function write(
  asked: Ctx,
  tx: Tx,
  seen: PaymentRow,
  found: RefundsAndDisputes,
  namesKeys: boolean,
): Promise<{ problems: string[]; waits: boolean } | null> {
  const payment = await lockPayment(asked, tx, seen.id);
  if (!payment) throw new Error("no such payment");
  if (payment.fence !== seen.fence) return null;
  await raiseFence(asked, tx, payment.id);
  const ctx = await atClock(asked, tx, payment.testClockId);
  const problems: string[] = [];
  let waits = false;
  for (const decision of await recordRefunds(ctx, tx, payment, found.refunds, namesKeys)) {
    if (decision.kind === "misfit") problems.push(decision.problem);
    if (decision.kind === "wait") waits = true;
  }
  problems.push(...(await recordDisputes(ctx, tx, payment.id, found)));
  return { problems, waits };
}
