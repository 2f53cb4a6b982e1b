import { testWebhookEndpoint } from "@/lib/contract/webhooks";
import { sendTest } from "@/lib/domain/webhooks/endpoints";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(testWebhookEndpoint, ({ ctx, params }) =>
  sendTest(ctx, params.webhook_endpoint_id),
);
