import { db, withTransaction } from "@/db/client";
import { databaseNow } from "@/db/now";
import { atClock } from "@/lib/domain/test-clocks/rows";
import { lastRestore } from "@/db/settings";
import type { Ctx } from "@/lib/domain/context";
import { type GatewayAccount, resolveGatewayOf } from "@/lib/domain/gateway-connections/account";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import { payerOf } from "@/lib/domain/gateway-connections/payer";
import { isFeeBooked } from "@/lib/domain/ledger/posting-rows";
import { findLink } from "@/lib/domain/payment-links/rows";
import { openStatuses } from "@/lib/domain/payment-links/rules";
import { noteSent, type PaymentRow, sendableStatus } from "@/lib/domain/payments/rows";
import {
  awaitsFee,
  hintOf,
  isLive,
  isOver,
  mayLackId,
  isSetAside,
  maySendAgain,
} from "@/lib/domain/payments/rules";
import { settle } from "@/lib/domain/payments/settle";
import { lockTokenization } from "@/lib/domain/tokenizations/rows";
import type { FindAnswer } from "@/lib/gateways/gateway";
import { unseal } from "@/lib/kernel/secrets";
import { type ChargeableMethod, decide, type Facts, mayChargeAgain, type Next } from "./decide";
import { sendCharge } from "./send";

/** Looks an attempt up at the gateway and writes the result. `hint`: the id that a callback named. Returns the payment as it then is. */
export async function reconcile(
  ctx: Ctx,
  payment: PaymentRow,
  hint?: string | null,
): Promise<PaymentRow> {
  if (!isLive(payment.status) && !awaitsFee(payment)) return payment;
  const account = await resolveGatewayOf(ctx, payment.connectionId);
  const found = await lookUp(account, payment, hint);
  // Nothing is sent or closed for one that waits for a person.
  if (awaitsFee(payment) || isSetAside(payment)) return settle(ctx, payment.id, found);
  const method = mayChargeAgain(payment, found) ? await chargeableMethod(ctx, payment) : null;
  const facts = await factsOf(ctx, payment, found);
  const next = decide(payment, found, facts, method, account.gateway);
  return act(ctx, account, payment, next);
}

/**
 * Looks up an attempt that a callback names. It may have ended without money, its fee may not be asked for any more, or it waits for a person. The worker
 * checks none of these, so that no answer is an error then. So it is where the gateway's id is known from the callback alone, after a restore: the
 * worker could not ask. `absent`: it has ended, and the gateway shows nothing of it.
 */
export async function reconcileAfterCallback(
  ctx: Ctx,
  payment: PaymentRow,
  hint: string | null,
): Promise<"looked_up" | "absent"> {
  if ((isLive(payment.status) && !isSetAside(payment)) || awaitsFee(payment)) {
    const after = await reconcile(ctx, payment, hint);
    if (hint !== null && !after.gatewayId && isLive(after.status))
      throw new Error("The gateway gave no answer about the id of this callback.");
    return "looked_up";
  }
  if (!isOver(payment.status) && (await isFeeBooked(ctx, payment.id))) return "looked_up";
  const found = await lookUp(await resolveGatewayOf(ctx, payment.connectionId), payment, hint);
  if (found.kind === "unknown") throw new Error(found.reason);
  await settle(ctx, payment.id, found);
  return found.kind === "nothing" ? "absent" : "looked_up";
}

/** Cancels an attempt at the gateway first, then here. When it is too late there, the result of the attempt is written instead. */
export async function abandon(
  ctx: Ctx,
  payment: PaymentRow,
  account: GatewayAccount,
): Promise<PaymentRow> {
  const answer = await callGateway("cancelling a payment", () =>
    account.gateway.cancel(account.connection, payment.id, hintOf(payment)),
  );
  if (answer.kind === "cancelled")
    return settle(ctx, payment.id, { kind: "cancelled", gatewayId: payment.gatewayId ?? "" });
  if (answer.kind === "too_late") return settle(ctx, payment.id, await lookUp(account, payment));
  // Neither cancelled nor a word about the money: the payment stays as it is.
  return settle(ctx, payment.id, { kind: "nothing" });
}

async function act(
  ctx: Ctx,
  account: GatewayAccount,
  payment: PaymentRow,
  next: Next,
): Promise<PaymentRow> {
  switch (next.kind) {
    case "settle":
      return settle(ctx, payment.id, next.answer);
    case "abandon":
      return abandon(ctx, payment, account);
    case "charge_again":
      // Moves the start of later look-ups: everything earlier has been proven absent.
      if (next.absenceProven) await noteSent(ctx, payment.id);
      return settle(ctx, payment.id, await sendCharge(ctx, account, payment, next.method));
  }
}

async function factsOf(ctx: Ctx, payment: PaymentRow, found: FindAnswer): Promise<Facts> {
  const now = await databaseNow();
  return {
    ageMinutes: (now - Date.parse(payment.startedAt)) / 60_000,
    maySend: maySendAgain(payment, now),
    linkEnded: found.kind === "open" && (await hasLinkEnded(ctx, payment, now)),
    isFromBackup: !payment.gatewayId && mayLackId(payment, await lastRestore()),
  };
}

/** Whether the link takes no money any more: it is paid, cancelled, expired or deleted, or past its expiry. */
async function hasLinkEnded(
  ctx: Ctx,
  { paymentLinkId }: PaymentRow,
  now: number,
): Promise<boolean> {
  if (paymentLinkId === null) return false;
  const link = await findLink(ctx, paymentLinkId);
  if (!link || !openStatuses.includes(link.status)) return true;
  if (link.expiresAt === null) return false;
  const { now: clockTime } = await atClock(ctx, db, link.testClockId);
  return Date.parse(link.expiresAt) <= (clockTime === undefined ? now : Date.parse(clockTime));
}

const lookUp = (
  { gateway, connection }: GatewayAccount,
  payment: PaymentRow,
  hint?: string | null,
): Promise<FindAnswer> =>
  callGateway("looking up a payment", () =>
    gateway.find(connection, payment.id, hintOf(payment, hint)),
  );

async function chargeableMethod(ctx: Ctx, payment: PaymentRow): Promise<ChargeableMethod | null> {
  const { tokenizationId } = payment;
  // After its subscription has ended, a charge that is not at the gateway is never sent again.
  if (tokenizationId === null || !(await sendableStatus(ctx, payment.id))) return null;
  const token = await withTransaction((tx) => lockTokenization(ctx, tx, tokenizationId));
  return token?.status === "active" && token.methodId
    ? { methodId: unseal(token.methodId, "gateway"), payer: payerOf(token) }
    : null;
}
