import { db, type Executor } from "@/db/client";
import type { ManualPaymentInput, Payment } from "@/lib/contract/payments";
import type { Ctx } from "@/lib/domain/context";
import { commit } from "@/lib/domain/idempotency/commit";
import { findLink, type LinkRow, lockLink } from "@/lib/domain/payment-links/rows";
import { presentLink } from "@/lib/domain/payment-links/present";
import { assertChangeable } from "@/lib/domain/payment-links/rules";
import { presentPayment } from "@/lib/domain/payments/present";
import { insertPayment, isPast } from "@/lib/domain/payments/rows";
import { MANUAL_GATEWAY } from "@/lib/domain/payments/rules";
import { settleIn } from "@/lib/domain/payments/settle";
import { atClock } from "@/lib/domain/test-clocks/rows";
import { assertSeen } from "@/lib/domain/versions/edits";
import { newId } from "@/lib/kernel/ids";
import { assertNone, conflict, type FieldErrors, notFound } from "@/lib/kernel/problem";
import { withReleasedLink } from "./release";

/**
 * Records that a link's amount was paid outside the gateway; a payer's open attempt is cancelled there first. Returns the payment.
 * Throws 404, 409 where the link takes no money or was edited since the caller read it, 422 on `received_at` for a moment to come.
 */
export async function recordManualPayment(
  ctx: Ctx,
  linkId: string,
  input: ManualPaymentInput,
): Promise<Payment> {
  // Asked beforehand too: no payer's page is closed for a call that is refused.
  const link = await findLink(ctx, linkId);
  if (!link) throw notFound();
  await assertTakes(await atClock(ctx, db, link.testClockId), db, link, input);
  return withReleasedLink(ctx, linkId, () => write(ctx, linkId, input), true);
}

async function write(asked: Ctx, linkId: string, input: ManualPaymentInput): Promise<Payment> {
  return commit(asked, async (tx) => {
    const link = await lockLink(asked, tx, linkId);
    if (!link) throw notFound();
    const ctx = await atClock(asked, tx, link.testClockId);
    await assertSeen(ctx, tx, link, () => presentLink(link));
    assertChangeable(link, true);
    await assertTakes(ctx, tx, link, input);
    const { method, note, received_at, version: _seen, ...unwritten } = input;
    const payment = await insertPayment(ctx, tx, {
      id: newId(),
      amount: link.amount,
      currency: link.currency,
      title: link.title,
      reference: link.reference,
      gateway: MANUAL_GATEWAY,
      method,
      note: note ?? null,
      receivedAt: received_at ?? null,
      // A field of the contract that is missing above does not compile.
      ...(unwritten satisfies Record<string, never>),
      paymentLinkId: link.id,
      linkVersion: link.version,
      subscriptionId: link.subscriptionId,
      periodStart: link.periodStart,
      testClockId: link.testClockId,
    });
    return presentPayment(
      await settleIn(ctx, tx, payment.id, {
        kind: "succeeded",
        gatewayId: "",
        fee: 0,
        amount: link.amount,
        currency: link.currency,
      }),
    );
  });
}

async function assertTakes(
  ctx: Ctx,
  on: Executor,
  link: LinkRow,
  { received_at: receivedAt }: ManualPaymentInput,
): Promise<void> {
  if (link.status === "Cancelled")
    throw conflict("This payment link is cancelled. Reopen it first.");
  if (
    link.status === "Expired" ||
    (link.expiresAt !== null && (await isPast(ctx, on, link.expiresAt)))
  ) {
    throw conflict("This payment link has expired. Give it a later expiry first.");
  }
  assertNone(await toCome(ctx, on, receivedAt));
}

async function toCome(
  ctx: Ctx,
  on: Executor,
  receivedAt: string | undefined,
): Promise<FieldErrors> {
  return receivedAt === undefined || (await isPast(ctx, on, receivedAt))
    ? {}
    : { received_at: ["The received at must be a date before or equal to now."] };
}

/** Why the money cannot have come at that moment: it is still to come, by the link's clock. */
export async function validateAgainstRecords(
  ctx: Ctx,
  linkId: string,
  { received_at: receivedAt }: Partial<ManualPaymentInput>,
): Promise<FieldErrors> {
  const link = receivedAt === undefined ? undefined : await findLink(ctx, linkId);
  return link ? toCome(await atClock(ctx, db, link.testClockId), db, receivedAt) : {};
}
