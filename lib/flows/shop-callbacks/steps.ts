import { withTransaction } from "@/db/client";
import { databaseNow } from "@/db/now";
import { integrationLimits } from "@/lib/contract/values";
import { findBusiness } from "@/lib/domain/businesses/rows";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { callbackBody, isSignedWith } from "@/lib/domain/integrations/callback-body";
import {
  beginAttempt,
  type CallbackOutcome,
  type CallbackTarget,
  type ClaimedCallback,
  findTarget,
  recordOutcome,
} from "@/lib/domain/integrations/callback-rows";
import { lockIntegration, noteKeysSaved } from "@/lib/domain/integrations/rows";
import { findLinkEver } from "@/lib/domain/payment-links/payer-rows";
import { findPayment } from "@/lib/domain/payments/rows";
import { writeOutcome } from "@/lib/jobs/outcome";
import { isoOf } from "@/lib/kernel/clock";
import { unseal } from "@/lib/kernel/secrets";
import type { Sender } from "../webhook-delivery/sender";
import { accepts, decide, lacksKey } from "./decide";

/** Until a callback that waits for new keys is looked at again. */
const WAITING_SECONDS = 300;

/** Of a shop that was sent a callback before it saved its new keys. It is asked ever later, and no attempt counts. */
const untilSaved = ({ attempts, history }: ClaimedCallback) =>
  ({
    status: "pending",
    seconds: Math.min(900 * 2 ** history.length, 21_600),
    attempts,
  }) as const;

/** Sends a claimed callback to its shop: counts the attempt and keeps its bytes, calls with no transaction open, writes the outcome. */
export async function deliverCallback(
  sender: Sender,
  row: ClaimedCallback,
  requestId: string,
): Promise<void> {
  const ctx = systemCtx(row, { kind: "clock" }, requestId);
  const target = await findTarget(ctx, row);
  const record = (outcome: CallbackOutcome) =>
    writeOutcome(() => withTransaction((tx) => recordOutcome(ctx, tx, row, outcome)));
  // Before anything ends it: who connects a shop anew deletes its hook and makes it again.
  if (target.waits) return record({ status: "pending", seconds: WAITING_SECONDS, attempt: null });
  if (!target.live && (await stops(ctx, row))) return;
  // A worker died after its last attempt: the shop gets no further one.
  if (row.attempts >= integrationLimits.attempts)
    return record({ status: "failed", seconds: null, attempt: null });
  const body = await bodyOf(ctx, row, target);
  await withTransaction((tx) => beginAttempt(ctx, tx, row, body));
  const answer = await sender.post(target.url, {}, body);
  await record({
    ...(target.mayLackKeys && lacksKey(answer)
      ? untilSaved(row)
      : decide(answer, row.attempts + 1, target.plugin)),
    attempt: {
      at: answer.startedAt,
      statusCode: answer.status,
      error: answer.error,
      response: answer.response,
      durationMs: answer.ms,
    },
  });
  if (accepts(answer)) await noteKeysSaved(ctx, { ...target, id: row.integrationId });
}

/**
 * Stops a callback, unless its hook is there again. The lock excludes a plugin that makes the hook: it finds the callback stopped and resumes it, or it
 * has made the hook before.
 */
const stops = (ctx: Ctx, row: ClaimedCallback): Promise<boolean> =>
  withTransaction(async (tx) => {
    await lockIntegration(ctx, tx, row.integrationId);
    if ((await findTarget(ctx, row, tx)).live) return false;
    await recordOutcome(ctx, tx, row, { status: "stopped", seconds: null, attempt: null });
    return true;
  });

/** The bytes of the first attempt, unless the keys were replaced since. */
async function bodyOf(
  ctx: Ctx,
  { body, paymentId, paymentLinkId }: ClaimedCallback,
  target: CallbackTarget,
): Promise<string> {
  const signatureKey = unseal(target.signatureKey, "integration");
  if (body !== null && isSignedWith(signatureKey, body)) return body;
  const [business, payment, link] = await Promise.all([
    findBusiness(ctx.businessId),
    findPayment(ctx, paymentId),
    findLinkEver(ctx, paymentLinkId),
  ]);
  if (!business || !payment || !link) throw new Error("a callback without its payment");
  return callbackBody(signatureKey, {
    triggeredAt: isoOf(new Date(await databaseNow())),
    paidAt: payment.succeededAt ?? payment.updatedAt,
    timeZone: business.timeZone,
    payment: {
      id: payment.id,
      amount: payment.amount,
      currency: payment.currency,
      method: payment.paidWith ?? payment.method,
      provider: payment.gateway,
    },
    link,
  });
}
