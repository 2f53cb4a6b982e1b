import * as z from "zod";
import { BusinessId, Id, Timestamp, UrlOut } from "./fields";
import { VersionOut } from "./versions";

export const webhookEndpointExample = {
  _id: "6740f7c81b2c9e7a04f3d601",
  url: "https://shop.example/webhooks",
  description: "Web shop",
  events: ["payment_link.paid", "payment.refunded"],
  enabled: true,
  disabled_reason: null,
  previous_secret_until: null,
  earlier_secret_until: null,
  version: 1,
  business_id: 1001,
  created_at: "2026-11-20T13:34:45.423258Z",
  updated_at: "2026-11-20T13:34:45.423258Z",
};

export const WebhookEndpoint = z
  .object({
    _id: Id,
    url: UrlOut,
    description: z.string().nullable(),
    events: z.array(z.string()),
    enabled: z.boolean(),
    disabled_reason: z
      .enum(["gone"])
      .nullable()
      .meta({ description: "`gone`: it answered 410 and was disabled for that." }),
    previous_secret_until: Timestamp.nullable().meta({
      description: "Until then the secret before the last rotation signs too.",
    }),
    earlier_secret_until: Timestamp.nullable().meta({
      description:
        "Until this moment the secret before the previous one also signs. Set after two rotations within a day.",
    }),
    version: VersionOut,
    business_id: BusinessId,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "WebhookEndpoint", examples: [webhookEndpointExample] });

export type WebhookEndpoint = z.output<typeof WebhookEndpoint>;
