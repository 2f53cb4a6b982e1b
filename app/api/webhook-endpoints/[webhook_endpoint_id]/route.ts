import {
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  updateWebhookEndpoint,
} from "@/lib/contract/webhooks";
import { validateAgainstRecords } from "@/lib/domain/webhooks/address";
import { get, remove, update } from "@/lib/domain/webhooks/endpoints";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getWebhookEndpoint, ({ ctx, params }) =>
  get(ctx, params.webhook_endpoint_id),
);
export const PUT = defineRoute(
  updateWebhookEndpoint,
  ({ ctx, params, body }) => update(ctx, params.webhook_endpoint_id, body),
  ({ body }) => validateAgainstRecords(body),
);
export const DELETE = defineRoute(deleteWebhookEndpoint, ({ ctx, params }) =>
  remove(ctx, params.webhook_endpoint_id),
);
