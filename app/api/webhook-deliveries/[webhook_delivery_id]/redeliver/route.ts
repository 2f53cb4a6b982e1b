import { redeliverWebhook } from "@/lib/contract/webhooks";
import { redeliver } from "@/lib/domain/webhooks/deliveries";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(redeliverWebhook, ({ ctx, params }) =>
  redeliver(ctx, params.webhook_delivery_id),
);
