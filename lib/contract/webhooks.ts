import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { BusinessId, Flag, Id, Moment, Name, Timestamp, UrlOut, WebUrl } from "./fields";
import { listQuery } from "./lists";
import { rule } from "./messages";
import { deliveryStatuses, eventTypes, webhookLimits } from "./values";
import { SeenVersion } from "./versions";
import { WebhookEndpoint, webhookEndpointExample } from "./webhook-endpoint";

const EventList = rule(
  z
    .array(z.enum([...eventTypes, "*"]))
    .min(1)
    .max(eventTypes.length + 1),
  "selected",
  (list) => new Set(list).size === list.length,
).meta({
  description: 'The types it receives; `["*"]` is all of them, future ones included.',
  uniqueItems: true,
  examples: [["payment_link.paid", "payment.refunded"]],
});

const shared = {
  events: EventList.optional(),
  enabled: Flag.optional(),
};

export const WebhookEndpointInput = z
  .object({
    url: WebUrl.describe(
      "https. Addresses of private networks are refused, here and at every attempt.",
    ),
    description: Name(webhookLimits.description)
      .optional()
      .describe(`At most ${webhookLimits.description} characters.`),
    ...shared,
  })
  .meta({
    id: "WebhookEndpointInput",
    examples: [
      {
        url: "https://shop.example/webhooks",
        events: ["payment_link.paid", "payment.refunded"],
        description: "Web shop",
      },
    ],
  });

export const WebhookEndpointUpdate = z
  .object({
    url: WebUrl.optional(),
    description: Name(webhookLimits.description).nullable().optional().describe("null clears it."),
    ...shared,
    version: SeenVersion,
  })
  .meta({
    id: "WebhookEndpointUpdate",
    description: "What is absent stays as it is.",
    examples: [{ enabled: false }],
  });

export const WebhookEndpointWithSecret = WebhookEndpoint.extend({
  secret: z.string().meta({ description: "What signs: shown this once." }),
}).meta({
  id: "WebhookEndpointWithSecret",
  examples: [
    { ...webhookEndpointExample, secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" },
  ],
});

export type DeliveryStatus = (typeof deliveryStatuses)[number];

const deliveryExample = {
  _id: "6740f7d01b2c9e7a04f3d777",
  webhook_endpoint_id: webhookEndpointExample._id,
  event_id: "6740f5d59e3c6f70b2d81a46",
  type: "payment_link.paid",
  test: false,
  status: "pending",
  attempts: 1,
  last_status_code: 500,
  last_error: "It answered 500.",
  next_attempt_at: "2026-11-20T13:41:11.204851Z",
  delivered_at: null,
  redeliverable: true,
  business_id: 1001,
  created_at: "2026-11-20T13:41:05.981200Z",
  updated_at: "2026-11-20T13:41:06.104771Z",
} as const;

export const WebhookDelivery = z
  .object({
    _id: Id,
    webhook_endpoint_id: Id,
    event_id: Id.meta({ description: "Also the header `webhook-id`, the same at every attempt." }),
    type: z.string(),
    test: z.boolean().meta({ description: "A test event; it is tried once." }),
    status: z.enum(deliveryStatuses).meta({
      description:
        "`failed`: the last attempt of the schedule failed. `stopped`: the endpoint was disabled or deleted meanwhile.",
    }),
    attempts: z.int(),
    last_status_code: z.int().nullable(),
    last_error: z.string().nullable(),
    next_attempt_at: Timestamp.nullable(),
    delivered_at: Timestamp.nullable(),
    redeliverable: z.boolean().meta({
      description:
        "Whether it can be sent again now: its endpoint takes events, and its event is still kept.",
    }),
    business_id: BusinessId,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "WebhookDelivery", examples: [deliveryExample] });

const attemptExample = {
  number: 1,
  status_code: 500,
  error: "It answered 500.",
  response: "Internal Server Error",
  duration_ms: 87,
  created_at: "2026-11-20T13:41:06.010337Z",
};

export const WebhookDeliveryDetail = WebhookDelivery.extend({
  url: UrlOut.meta({ description: "Where it goes now." }),
  body: z.string().nullable().meta({
    description:
      "What is sent, byte for byte the same at every attempt. null where its event is not kept any more.",
  }),
  history: z
    .array(
      z.object({
        number: z.int(),
        status_code: z.int().nullable().meta({ description: "null when there was no answer." }),
        error: z.string().nullable(),
        response: z
          .string()
          .nullable()
          .meta({ description: "The first 16 KiB of the answer, secrets masked." }),
        duration_ms: z.int(),
        created_at: Timestamp,
      }),
    )
    .meta({ description: "The attempts, newest first, at most 50." }),
}).meta({
  id: "WebhookDeliveryDetail",
  examples: [
    {
      ...deliveryExample,
      url: webhookEndpointExample.url,
      body: '{"_id":"6740f5d59e3c6f70b2d81a46","type":"payment_link.paid","mode":"test","created_at":"2026-11-20T13:41:05.902177Z","data":{}}',
      history: [attemptExample],
    },
  ],
});

export const ReplayInput = z
  .object({
    from: Moment.optional().describe("Events from then on."),
    to: Moment.optional().describe("Events up to then."),
    after: Id.optional().describe(
      "Events behind this one, in the order of the log. Choose one that is ten minutes old: a newer one may come before a change that committed later.",
    ),
    undelivered: Flag.optional().describe(
      `true leaves out what was delivered to it already. An endpoint older than ${webhookLimits.keptDays} days then receives only events of the last ${webhookLimits.keptDays} days: earlier deliveries are not kept.`,
    ),
  })
  .meta({
    id: "WebhookReplay",
    description: "`from` or `after` is required.",
    anyOf: [{ required: ["from"] }, { required: ["after"] }],
    examples: [{ from: "2026-11-19T00:00:00Z", to: "2026-11-20T00:00:00Z" }],
  });

export const Replayed = z
  .object({
    webhook_endpoint_id: Id,
    deliveries: z.int().meta({ description: "How many events are on their way." }),
  })
  .meta({
    id: "WebhookReplayed",
    examples: [{ webhook_endpoint_id: webhookEndpointExample._id, deliveries: 214 }],
  });

export const RedeliverInput = z
  .object({
    webhook_endpoint_id: Id.optional().describe("Only to this endpoint, for any type."),
  })
  .meta({ id: "EventRedelivery", examples: [{}] });

export const Redelivered = z.object({ event_id: Id, deliveries: z.array(WebhookDelivery) }).meta({
  id: "EventRedelivered",
  examples: [{ event_id: deliveryExample.event_id, deliveries: [deliveryExample] }],
});

export type WebhookEndpointInput = z.output<typeof WebhookEndpointInput>;
export type WebhookEndpointUpdate = z.output<typeof WebhookEndpointUpdate>;
export type WebhookEndpointWithSecret = z.output<typeof WebhookEndpointWithSecret>;
export type WebhookDelivery = z.output<typeof WebhookDelivery>;
export type WebhookDeliveryDetail = z.output<typeof WebhookDeliveryDetail>;
export type ReplayInput = z.output<typeof ReplayInput>;
export type RedeliverInput = z.output<typeof RedeliverInput>;

export const WebhookEndpointQuery = listQuery(["created_from", "created_to"], [
  "enabled",
  "disabled",
] as const);
const ofEndpoint = z.enum(eventTypes).optional().meta({ description: "Of events of this type." });
export const EndpointDeliveryQuery = listQuery(
  ["created_from", "created_to"],
  deliveryStatuses,
).extend({ type: ofEndpoint });
export const WebhookDeliveryQuery = EndpointDeliveryQuery.extend({
  webhook_endpoint_id: Id.optional().meta({ description: "To this endpoint." }),
  event_id: Id.optional().meta({ description: "Of this event." }),
});
export type WebhookEndpointQuery = z.output<typeof WebhookEndpointQuery>;
export type WebhookDeliveryQuery = z.output<typeof WebhookDeliveryQuery>;

const tag = "Webhooks";
const settings = { tag, roles: ["owner", "admin"] } as const;
const params = z.object({ webhook_endpoint_id: Id });
const delivery = { tag, params: z.object({ webhook_delivery_id: Id }) } as const;
const kept = `Kept for ${webhookLimits.keptDays} days after the last change.`;

export const createWebhookEndpoint = endpoint({
  ...settings,
  id: "createWebhookEndpoint",
  method: "POST",
  path: "/webhook-endpoints",
  summary: "Create a webhook endpoint",
  reauthenticate: "live",
  body: WebhookEndpointInput,
  response: WebhookEndpointWithSecret,
  showsSecret: true,
  description: `It receives events from now on. The response shows the signing secret, once. At most ${webhookLimits.endpoints} of a mode.`,
  conflict: `There are ${webhookLimits.endpoints} already.`,
});
export const listWebhookEndpoints = endpoint({
  tag,
  id: "listWebhookEndpoints",
  method: "GET",
  path: "/webhook-endpoints",
  summary: "List webhook endpoints",
  description: "Newest first, with disabled ones.",
  query: WebhookEndpointQuery,
  response: page(WebhookEndpoint),
});
export const getWebhookEndpoint = endpoint({
  tag,
  id: "getWebhookEndpoint",
  method: "GET",
  path: "/webhook-endpoints/{webhook_endpoint_id}",
  summary: "Get a webhook endpoint",
  description: "Without its secret, which is shown only when it is created or rotated.",
  params,
  response: WebhookEndpoint,
});
export const updateWebhookEndpoint = endpoint({
  ...settings,
  id: "updateWebhookEndpoint",
  method: "PUT",
  path: "/webhook-endpoints/{webhook_endpoint_id}",
  summary: "Update a webhook endpoint",
  reauthenticate: "address",
  versioned: true,
  params,
  body: WebhookEndpointUpdate,
  response: WebhookEndpoint,
  description:
    "Disabling stops its retries. Enabled again, it receives events from then on; redeliver a range for what it missed.",
});
export const deleteWebhookEndpoint = endpoint({
  ...settings,
  id: "deleteWebhookEndpoint",
  method: "DELETE",
  path: "/webhook-endpoints/{webhook_endpoint_id}",
  summary: "Delete a webhook endpoint",
  description: "Its pending deliveries are stopped.",
  versioned: true,
  params,
  response: WebhookEndpoint,
});
export const rotateWebhookEndpoint = endpoint({
  ...settings,
  id: "rotateWebhookEndpoint",
  method: "POST",
  path: "/webhook-endpoints/{webhook_endpoint_id}/rotate",
  summary: "Rotate a webhook endpoint's secret",
  reauthenticate: "always",
  params,
  response: WebhookEndpointWithSecret,
  showsSecret: true,
  description:
    "For 24 hours every delivery carries a signature by the secret before, too. When you rotate again within them, the secret before that still signs until its own 24 hours are over; older ones stop.",
});
export const testWebhookEndpoint = endpoint({
  tag,
  id: "testWebhookEndpoint",
  method: "POST",
  path: "/webhook-endpoints/{webhook_endpoint_id}/test",
  summary: "Send a test event",
  params,
  response: WebhookDelivery,
  description:
    "An event of type `webhook_endpoint.test` to this endpoint alone. It is tried once and is in no log of events.",
  conflict: "The endpoint is disabled.",
});
export const replayEvents = endpoint({
  tag,
  id: "replayEvents",
  method: "POST",
  path: "/webhook-endpoints/{webhook_endpoint_id}/redeliver",
  summary: "Redeliver a range of events",
  params,
  body: ReplayInput,
  response: Replayed,
  description:
    "Events of the types that the endpoint receives, also those from before it was created, in the order of the log; at most 100,000 at a time. The same bytes under the same `webhook-id` as before.",
  conflict: "The endpoint is disabled, or there are more than 100,000.",
});
export const listEndpointDeliveries = endpoint({
  tag,
  id: "listEndpointDeliveries",
  method: "GET",
  path: "/webhook-endpoints/{webhook_endpoint_id}/deliveries",
  summary: "List an endpoint's deliveries",
  description: `Newest first. ${kept}`,
  params,
  query: EndpointDeliveryQuery,
  response: page(WebhookDelivery),
});
export const listWebhookDeliveries = endpoint({
  tag,
  id: "listWebhookDeliveries",
  method: "GET",
  path: "/webhook-deliveries",
  summary: "List deliveries",
  query: WebhookDeliveryQuery,
  response: page(WebhookDelivery),
  description: kept,
});
export const getWebhookDelivery = endpoint({
  ...delivery,
  id: "getWebhookDelivery",
  method: "GET",
  path: "/webhook-deliveries/{webhook_delivery_id}",
  summary: "Get a delivery with its attempts",
  description: "With the body that is sent, and what the endpoint answered each time.",
  response: WebhookDeliveryDetail,
});
export const redeliverWebhook = endpoint({
  ...delivery,
  id: "redeliverWebhook",
  method: "POST",
  path: "/webhook-deliveries/{webhook_delivery_id}/redeliver",
  summary: "Send a delivery again",
  response: WebhookDelivery,
  description:
    "At once, whatever became of it; should it fail, the schedule of retries begins anew.",
  conflict: "The endpoint is disabled or deleted, or the event is not kept any more.",
});
export const redeliverEvent = endpoint({
  id: "redeliverEvent",
  method: "POST",
  path: "/events/{event_id}/redeliver",
  tag: "Events",
  summary: "Redeliver an event",
  params: z.object({ event_id: Id }),
  body: RedeliverInput,
  mayBeEmpty: true,
  response: Redelivered,
  description:
    "To every enabled webhook endpoint that receives its type, or to the one named. The same bytes under the same `webhook-id` as before.",
  conflict: "The endpoint that is named is disabled.",
});
