import { withTransaction } from "@/db/client";
import { databaseNow } from "@/db/now";
import type { FindAnswer } from "@/lib/gateways/gateway";
import { unseal } from "@/lib/kernel/secrets";
import { type Ctx, systemCtx } from "../context";
import { type FairWork, fairWork } from "../fair-work";
import { findLink } from "../payment-links/rows";
import { lockTokenization } from "../tokenizations/rows";
import { ask, type Line, lineOfAttempt } from "../businesses/line";
import { LookUpBudget } from "./look-up-budget";
import { isFeeBooked } from "./posting-rows";
import { extendLook, isWithdrawn, noteSent, type PaymentRow, unscopedClaimDue } from "./rows";
import {
  abandonedAfterMinutes,
  awaitsFee,
  isLive,
  isOver,
  knownOf,
  safeAbsenceMinutes,
} from "./rules";
import { settle } from "./settle";

const ageMinutes = async (payment: PaymentRow) =>
  ((await databaseNow()) - Date.parse(payment.startedAt)) / 60_000;

const findAt = ({ gateway, connection }: Line, payment: PaymentRow, told?: string | null) =>
  ask("looking up a payment", () => gateway.find(connection, payment.id, knownOf(payment, told)));

/** Asks the gateway what became of an attempt and writes it down; `told` is the id under which it has spoken of it. Answers the payment as it then is. */
export async function reconcile(
  ctx: Ctx,
  payment: PaymentRow,
  told?: string | null,
): Promise<PaymentRow> {
  if (!(isLive(payment.status) || awaitsFee(payment)) || payment.flags.includes("mismatch"))
    return payment;
  const line = await lineOfAttempt(ctx, payment.connectionId);
  const found = await findAt(line, payment, told);
  if (awaitsFee(payment)) return settle(ctx, payment.id, found);
  if (found.kind === "open" && (await isPageOver(ctx, payment))) return abandon(ctx, payment, line);
  if (found.kind === "nothing") return settle(ctx, payment.id, await absent(ctx, payment, line));
  if (found.kind === "unknown")
    return settle(ctx, payment.id, await unseen(ctx, payment, line, found));
  return settle(ctx, payment.id, found);
}

/** An open page is released after half an hour, and when its link expires. */
async function isPageOver(ctx: Ctx, payment: PaymentRow): Promise<boolean> {
  if ((await ageMinutes(payment)) >= abandonedAfterMinutes) return true;
  const link = payment.paymentLinkId ? await findLink(ctx, payment.paymentLinkId) : undefined;
  return (
    link?.status === "Active" &&
    link.expiresAt !== null &&
    Date.parse(link.expiresAt) <= (await databaseNow())
  );
}

/**
 * A gateway has spoken of an attempt: it is asked, also where we had concluded that no money moved or ask for its fee no more. Throws when it does not
 * tell then, since nobody else looks after such a payment.
 */
export async function reconcileTold(
  ctx: Ctx,
  payment: PaymentRow,
  told: string | null,
): Promise<void> {
  if (isLive(payment.status) || awaitsFee(payment))
    return void (await reconcile(ctx, payment, told));
  if (!isOver(payment.status) && (await isFeeBooked(ctx, payment.id))) return;
  const found = await findAt(await lineOfAttempt(ctx, payment.connectionId), payment, told);
  if (found.kind === "unknown") throw new Error(found.reason);
  await settle(ctx, payment.id, found);
}

/** Cancels an attempt at the gateway first, then here; when it is too late there, what became of it is written instead. */
export async function abandon(ctx: Ctx, payment: PaymentRow, line: Line): Promise<PaymentRow> {
  const answer = await ask("cancelling a payment", () =>
    line.gateway.cancel(line.connection, payment.id, knownOf(payment)),
  );
  if (answer.kind === "cancelled")
    return settle(ctx, payment.id, { kind: "cancelled", gatewayId: payment.gatewayId ?? "" });
  if (answer.kind === "too_late") return settle(ctx, payment.id, await findAt(line, payment));
  // Not cancelled, and nothing learnt about the money either: it stands as it stood.
  return settle(ctx, payment.id, { kind: "nothing" });
}

/** The gateway has no such attempt: a charge is sent again under its own key, a hosted page is given up after the safe time. */
async function absent(ctx: Ctx, payment: PaymentRow, line: Line): Promise<FindAnswer> {
  const safe = (await ageMinutes(payment)) >= safeAbsenceMinutes;
  const methodId = await chargeableMethod(ctx, payment);
  if (methodId === null) return safe ? { kind: "cancelled", gatewayId: "" } : { kind: "nothing" };
  // From now on it is looked for among what is made about now: of all before it is proven that there is nothing.
  if (safe) await noteSent(ctx, payment.id);
  return chargeAgain(line, payment, methodId);
}

/** No answer about a charge that was sent a moment ago: its key tells what became of it, also where the gateway's list is too long to. */
async function unseen(
  ctx: Ctx,
  payment: PaymentRow,
  line: Line,
  found: FindAnswer,
): Promise<FindAnswer> {
  if (payment.gatewayId || (await ageMinutes(payment)) >= safeAbsenceMinutes) return found;
  const methodId = await chargeableMethod(ctx, payment);
  return methodId === null ? found : chargeAgain(line, payment, methodId);
}

/** In the same words as the first time: a key stands for them. */
const chargeAgain = (
  { gateway, connection }: Line,
  { id, reference, subscriptionId, amount, currency, title }: PaymentRow,
  methodId: string,
) =>
  ask("charging a saved method", () =>
    gateway.charge(connection, {
      key: id,
      reference: id,
      ownReference: reference,
      subscriptionId,
      amount,
      currency,
      title,
      methodId,
    }),
  );

async function chargeableMethod(ctx: Ctx, payment: PaymentRow): Promise<string | null> {
  const { tokenizationId } = payment;
  // Its subscription ended before the gateway had it: it is not sent any more.
  if (tokenizationId === null || (await isWithdrawn(ctx, payment.id))) return null;
  const token = await withTransaction((tx) => lockTokenization(ctx, tx, tokenizationId));
  return token?.status === "active" && token.methodId ? unseal(token.methodId, "gateway") : null;
}

/** The worker's part: looks up attempts that are due, within the gateway's budget for each connection. */
export const paymentLooks = (budget = new LookUpBudget()): FairWork =>
  fairWork({
    piece: "payment",
    claim: async (share) => {
      const rows = await unscopedClaimDue(share, budget.allowance());
      budget.spend(rows);
      return rows;
    },
    extend: extendLook,
    work: (payment, requestId) =>
      reconcile(systemCtx(payment, { kind: "clock" }, requestId), payment),
  });
