import { redeliverEvent } from "@/lib/contract/webhooks";
import { redeliverEvent as redeliver } from "@/lib/domain/webhooks/deliveries";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(redeliverEvent, ({ ctx, params, body }) =>
  redeliver(ctx, params.event_id, body),
);
