import type { Tx } from "@/db/client";
import type { Ctx } from "@/lib/domain/context";
import { dropLiveSubscriber } from "@/lib/domain/packages/subscribers";
import { cancelPeriodLinks } from "@/lib/domain/payment-links/cancel";
import { withdrawPayments } from "@/lib/domain/payments/rows";
import { voidPeriods } from "@/lib/domain/subscriptions/period-rows";
import type { SubscriptionRow } from "@/lib/domain/subscriptions/rows";
import { log } from "@/lib/kernel/log";
import { releaseLink } from "../link-change/release";

/**
 * Ends a locked subscription that was live. Its package has one subscriber less, its open period and period links are cancelled, and no charge
 * of it is sent any more. Returns the links with a payer at the gateway.
 */
export async function end(ctx: Ctx, tx: Tx, row: SubscriptionRow): Promise<string[]> {
  await dropLiveSubscriber(ctx, tx, row.packageId);
  await voidPeriods(ctx, tx, row.id);
  const atGateway = await cancelPeriodLinks(ctx, tx, row.id);
  await withdrawPayments(ctx, tx, row.id);
  return atGateway;
}

/** Closes the hosted pages of cancelled links, after the commit. One that cannot be closed now is closed by the reconciler. */
export async function releaseAtGateway(ctx: Ctx, linkIds: readonly string[]): Promise<void> {
  for (const id of linkIds) {
    await releaseLink(ctx, id, true).catch((error: unknown) => {
      log.warn(
        { request_id: ctx.requestId, link: id, err: error },
        "a payer's attempt could not be cancelled at the gateway",
      );
    });
  }
}
