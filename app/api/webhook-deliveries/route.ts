import { listWebhookDeliveries } from "@/lib/contract/webhooks";
import { list } from "@/lib/domain/webhooks/deliveries";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listWebhookDeliveries, ({ ctx, query, search }) =>
  list(ctx, query, search),
);
