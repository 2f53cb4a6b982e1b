import { getWebhookDelivery } from "@/lib/contract/webhooks";
import { get } from "@/lib/domain/webhooks/deliveries";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getWebhookDelivery, ({ ctx, params }) =>
  get(ctx, params.webhook_delivery_id),
);
