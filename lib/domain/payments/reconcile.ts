import { withTransaction } from "@/db/client";
import type { FindAnswer } from "@/lib/gateways/gateway";
import { log } from "@/lib/kernel/log";
import { unseal } from "@/lib/kernel/secrets";
import { type Ctx, systemCtx } from "../context";
import { lockTokenization } from "../tokenizations/rows";
import { ask, type Line, lineOfAttempt } from "../businesses/line";
import { isWithdrawn, type PaymentRow, unscopedClaimDue } from "./rows";
import { abandonedAfterMinutes, awaitsFee, isLive, isOver, knownOf, safeAbsenceMinutes } from "./rules";
import { settle } from "./settle";

const ageMinutes = (payment: PaymentRow) => (Date.now() - Date.parse(payment.startedAt)) / 60_000;

const findAt = ({ gateway, connection }: Line, payment: PaymentRow) => ask("looking up a payment", () => gateway.find(connection, payment.id, knownOf(payment)));

/** Asks the gateway what became of an attempt and writes it down. Answers the payment as it then is. */
export async function reconcile(ctx: Ctx, payment: PaymentRow): Promise<PaymentRow> {
  if (!(isLive(payment.status) || awaitsFee(payment)) || payment.flags.includes("mismatch")) return payment;
  const line = await lineOfAttempt(ctx, payment.connectionId);
  const found = await findAt(line, payment);
  if (awaitsFee(payment)) return settle(ctx, payment.id, found);
  if (found.kind === "open" && ageMinutes(payment) >= abandonedAfterMinutes) return abandon(ctx, payment, line);
  if (found.kind === "nothing") return settle(ctx, payment.id, await absent(ctx, payment, line));
  return settle(ctx, payment.id, found);
}

/**
 * A gateway has spoken of an attempt: it is asked, also where we had concluded that no money moved. Throws when it does not tell then, since nobody
 * else looks after what is over.
 */
export async function reconcileTold(ctx: Ctx, payment: PaymentRow): Promise<void> {
  if (!isOver(payment.status)) return void (await reconcile(ctx, payment));
  const found = await findAt(await lineOfAttempt(ctx, payment.connectionId), payment);
  if (found.kind === "unknown") throw new Error(found.reason);
  await settle(ctx, payment.id, found);
}

/** Cancels an attempt at the gateway first, then here; when it is too late there, what became of it is written instead. */
export async function abandon(ctx: Ctx, payment: PaymentRow, line: Line): Promise<PaymentRow> {
  const answer = await ask("cancelling a payment", () => line.gateway.cancel(line.connection, payment.id, knownOf(payment)));
  if (answer.kind === "cancelled") return settle(ctx, payment.id, { kind: "cancelled", gatewayId: payment.gatewayId ?? "" });
  if (answer.kind === "too_late") return settle(ctx, payment.id, await findAt(line, payment));
  // Not cancelled, and nothing learnt about the money either: it stands as it stood.
  return settle(ctx, payment.id, { kind: "nothing" });
}

/** The gateway has no such attempt: a charge is sent again under its own key, a hosted page is given up after the safe time. */
async function absent(ctx: Ctx, payment: PaymentRow, line: Line): Promise<FindAnswer> {
  const safe = ageMinutes(payment) >= safeAbsenceMinutes;
  if (payment.paymentLinkId !== null && payment.tokenizationId === null) {
    return safe ? { kind: "cancelled", gatewayId: "" } : { kind: "nothing" };
  }
  const methodId = await chargeableMethod(ctx, payment);
  if (methodId === null) return safe ? { kind: "cancelled", gatewayId: "" } : { kind: "nothing" };
  return ask("charging a saved method", () =>
    line.gateway.charge(line.connection, {
      key: payment.id, reference: payment.id, amount: payment.amount, currency: payment.currency, title: payment.title, methodId,
    }),
  );
}

async function chargeableMethod(ctx: Ctx, payment: PaymentRow): Promise<string | null> {
  const { tokenizationId } = payment;
  // Its subscription ended before the gateway had it: it is not sent any more.
  if (tokenizationId === null || (await isWithdrawn(ctx, payment.id))) return null;
  const token = await withTransaction((tx) => lockTokenization(ctx, tx, tokenizationId));
  return token?.status === "active" && token.methodId ? unseal(token.methodId, "gateway") : null;
}

/** The worker's part: looks after attempts that are due. Answers how many it looked at. */
export async function reconcileDue(limit: number, requestId: string): Promise<number> {
  const due = await unscopedClaimDue(limit);
  await Promise.all(
    due.map(async (payment) => {
      const ctx = systemCtx(payment, { kind: "clock" }, requestId);
      try {
        await reconcile(ctx, payment);
      } catch (error) {
        // The lease ends by itself; another look follows.
        log.error({ request_id: requestId, payment: payment.id, err: error }, "a payment could not be looked after");
      }
    }),
  );
  return due.length;
}
