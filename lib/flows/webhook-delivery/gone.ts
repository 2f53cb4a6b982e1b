import { notifyChange } from "@/db/changes";
import { withTransaction } from "@/db/client";
import { log } from "@/lib/kernel/log";
import { record } from "@/lib/domain/audit/record";
import { systemCtx } from "@/lib/domain/context";
import { disableEndpoint, lockEndpoint } from "@/lib/domain/webhooks/rows";
import type { Claimed } from "@/lib/domain/webhooks/delivery-rows";

/** An endpoint that answered 410 wants no more: it is disabled, and the audit log says why. One that has another address by now has not been asked. */
export async function disableGone({
  businessId,
  mode,
  endpointId,
  id,
  url,
}: Pick<Claimed, "businessId" | "mode" | "endpointId" | "id" | "url">): Promise<void> {
  const ctx = systemCtx({ businessId, mode }, { kind: "clock" }, id);
  await withTransaction(async (tx) => {
    const endpoint = await lockEndpoint(ctx, tx, endpointId);
    if (!endpoint?.enabled || endpoint.url !== url) return;
    await disableEndpoint(ctx, tx, endpointId, "gone");
    await notifyChange(tx, ctx, "webhook_endpoint.updated", endpointId);
    await record(tx, businessId, ctx.actor, {
      action: "disableWebhookEndpoint",
      mode,
      objectId: endpointId,
      details: { answered: 410, delivery: id },
    });
  });
  log.info({ endpoint: endpointId }, "a webhook endpoint answered 410 and is disabled");
}
