import { replayEvents } from "@/lib/contract/webhooks";
import { rangeObjections, replay } from "@/lib/domain/webhooks/deliveries";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(
  replayEvents,
  ({ ctx, params, body }) => replay(ctx, params.webhook_endpoint_id, body),
  ({ ctx, body, errors }) => ("after" in errors ? {} : rangeObjections(ctx, body)),
);
