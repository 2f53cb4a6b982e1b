import { listEndpointDeliveries } from "@/lib/contract/webhooks";
import { listOf } from "@/lib/domain/webhooks/deliveries";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listEndpointDeliveries, ({ ctx, params, query, search }) =>
  listOf(ctx, params.webhook_endpoint_id, query, search),
);
