import { db } from "@/db/client";
import { lastRestore } from "@/db/settings";
import type { Ctx } from "@/lib/domain/context";
import { resolveGatewayOf } from "@/lib/domain/gateway-connections/account";
import { presentLink } from "@/lib/domain/payment-links/present";
import { findLink } from "@/lib/domain/payment-links/rows";
import { findPayment } from "@/lib/domain/payments/rows";
import { isLive } from "@/lib/domain/payments/rules";
import { settle } from "@/lib/domain/payments/settle";
import { assertSeen } from "@/lib/domain/versions/edits";
import { conflict, Problem } from "@/lib/kernel/problem";
import { abandon } from "../charge/reconcile";
import { decideRelease } from "./decide";

/**
 * Ends the open attempt on a link, at the gateway first where it may have a page, so that the link may change; on a period's link only when asked.
 * Throws 409 when that fails or money may already be moving.
 */
export async function releaseLink(ctx: Ctx, linkId: string, periodLinkToo = false): Promise<void> {
  const link = await findLink(ctx, linkId);
  const payment = link?.openPaymentId ? await findPayment(ctx, link.openPaymentId) : undefined;
  const restoredAt = payment ? await lastRestore() : null;
  const { kind } = decideRelease(link, payment, periodLinkToo, restoredAt);
  if (kind === "refuse") throw conflict("A payment for this link is being processed.");
  if (kind === "nothing" || !payment) return;
  // Its page may have been opened meanwhile: then nothing ends here.
  const open =
    kind === "end" ? await settle(ctx, payment.id, { kind: "cancelled", gatewayId: "" }) : payment;
  if (!isLive(open.status)) return;
  const after = await abandon(ctx, open, await resolveGatewayOf(ctx, open.connectionId));
  if (isLive(after.status))
    throw new Problem(
      409,
      "conflict",
      "A payer is at the payment provider for this link, and the attempt could not be cancelled there.",
    );
}

/** Releases the open attempt and changes the link; a payer who began another one in between is released again. */
export async function withReleasedLink<T>(
  ctx: Ctx,
  linkId: string,
  change: () => Promise<T>,
  periodLinkToo = false,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    // A stale write is refused before it takes the page away from a payer; `change` asks again under the lock.
    const link = ctx.seenVersion === undefined ? undefined : await findLink(ctx, linkId);
    if (link) await assertSeen(ctx, db, link, () => presentLink(link));
    await releaseLink(ctx, linkId, periodLinkToo);
    try {
      return await change();
    } catch (error) {
      const again =
        error instanceof Problem &&
        error.status === 409 &&
        tries < 3 &&
        (await findLink(ctx, linkId))?.openPaymentId;
      if (!again) throw error;
    }
  }
}
