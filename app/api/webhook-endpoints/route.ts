import { createWebhookEndpoint, listWebhookEndpoints } from "@/lib/contract/webhooks";
import { validateAgainstRecords } from "@/lib/domain/webhooks/address";
import { create, list } from "@/lib/domain/webhooks/endpoints";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listWebhookEndpoints, ({ ctx, query, search }) =>
  list(ctx, query, search),
);
export const POST = defineRoute(
  createWebhookEndpoint,
  ({ ctx, body }) => create(ctx, body),
  ({ body }) => validateAgainstRecords(body),
);
