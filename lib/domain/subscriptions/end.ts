import type { Tx } from "@/db/client";
import { log } from "@/lib/kernel/log";
import type { Ctx } from "../context";
import { dropLiveSubscriber } from "../packages/subscribers";
import { cancelPeriodLinks } from "../payment-links/cancel";
import { releaseLink } from "../payments/release";
import { withdrawPayments } from "../payments/rows";
import { voidPeriods } from "./engine/rows";
import type { SubscriptionRow } from "./rows";

/**
 * Ends a locked subscription that was live: its package counts it out, its open period and period links are cancelled, and no charge of it is
 * sent from now on. Answers the links whose payer is at the gateway.
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
