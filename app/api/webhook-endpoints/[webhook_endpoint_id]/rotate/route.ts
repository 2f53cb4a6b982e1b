import { rotateWebhookEndpoint } from "@/lib/contract/webhooks";
import { rotate } from "@/lib/domain/webhooks/endpoints";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(rotateWebhookEndpoint, ({ ctx, params }) =>
  rotate(ctx, params.webhook_endpoint_id),
);
