import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { AmountOut, BusinessId, exampleOrigin, Mode, Timestamp, UrlOut } from "./fields";
import { listQuery } from "./lists";
import { rule } from "./messages";
import { callbackStates } from "./values";

/** Gateways that a business can connect. */
export const connectable = ["stripe", "chip", "billplz"] as const;

const SecretKey = rule(z.string().min(1, { abort: true }).max(255), "format", (key) =>
  /^[\x21-\x7e]{8,}$/.test(key),
).meta({
  description:
    "A key of the mode that is connected. Stripe: a secret or restricted key, `sk_test_…` or `rk_test_…` in test mode, `sk_live_…` or `rk_live_…` in live mode. CHIP: the API key from the developer section of its portal. Billplz: the API secret key from its settings; the sandbox has keys of its own, for test mode. Never shown again.",
  examples: ["sk_test_51Nexample"],
});

const WebhookSecret = rule(z.string().min(1, { abort: true }).max(255), "format", (secret) =>
  /^[\x21-\x7e]{8,}$/.test(secret),
).meta({
  description:
    "Stripe: the signing secret of the webhook endpoint that was made for `callback_url`. Without one Kutip makes the endpoint; if the key may not, callbacks are rejected until the secret is entered. CHIP hands out its key, so none is entered. Billplz: the X Signature key from its settings. Never shown again.",
  examples: ["whsec_exampleexample"],
});

const BrandId = rule(z.string().min(1, { abort: true }).max(36), "format", (id) =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id),
).meta({
  description:
    "CHIP: the id of the brand that payers pay, from the developer section of its portal. It is shown as the connection's `account`. Other gateways have none.",
  examples: ["4f1d2c7e-8a35-4b0c-9d6e-2b7a90c1e5f3"],
});

const CollectionId = rule(z.string().min(1, { abort: true }).max(64), "format", (id) =>
  /^[A-Za-z0-9_-]+$/.test(id),
).meta({
  description:
    "Billplz: the id of the collection that bills are made in. It is shown as the connection's `account`. Other gateways have none.",
  examples: ["inbmmepb"],
});

export const GatewayConnectionInput = z
  .object({
    gateway: z.enum(connectable).optional().meta({ description: "Default: `stripe`." }),
    secret_key: SecretKey,
    brand_id: BrandId.optional(),
    collection_id: CollectionId.optional(),
    webhook_secret: WebhookSecret.optional(),
  })
  .meta({
    id: "GatewayConnectionInput",
    examples: [{ gateway: "stripe", secret_key: "sk_test_51Nexample" }],
  });

export const GatewayConnectionUpdate = z
  .object({
    secret_key: SecretKey.optional(),
    webhook_secret: WebhookSecret.nullable()
      .optional()
      .describe(
        "null removes it: callbacks are rejected from then on. CHIP takes no value, not even null.",
      ),
    first: z
      .literal(true)
      .optional()
      .describe("Puts it first: it has the ways to pay that other gateways offer too."),
  })
  .meta({
    id: "GatewayConnectionUpdate",
    description: "What is absent stays as it is.",
    examples: [{ webhook_secret: "whsec_exampleexample" }],
  });

const ConnectionId = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .meta({
    description: "32 random hexadecimal characters.",
    examples: ["9f2c4b0de1a75c38b6f04a2e7d915c30"],
  });

const example = {
  _id: "9f2c4b0de1a75c38b6f04a2e7d915c30",
  gateway: "stripe",
  mode: "test",
  status: "active",
  in_use: true,
  position: 1,
  account: "acct_1Nexample",
  account_name: "Tide & Co",
  last_four: "mple",
  callback_url: `${exampleOrigin}/api/gateways/stripe/callback/9f2c4b0de1a75c38b6f04a2e7d915c30`,
  has_webhook_secret: true,
  last_callback_at: "2026-11-20T13:36:02.118204Z",
  checked_at: "2026-11-20T13:34:45.423258Z",
  revoked_at: null,
  open_attempts: 0,
  quarantined: 0,
  business_id: 1001,
  created_at: "2026-11-20T13:34:45.423258Z",
  updated_at: "2026-11-20T13:34:45.423258Z",
} as const;

export const GatewayConnection = z
  .object({
    _id: ConnectionId,
    gateway: z.string(),
    mode: Mode,
    status: z.enum(["active", "revoked"]),
    in_use: z.boolean().meta({
      description:
        "Takes new payments of this mode. Several gateways can, and the payer chooses the way to pay.",
    }),
    position: z.int().nullable().meta({
      description:
        "1 is first. Where gateways offer the same way to pay, the lowest position has it. Null while the connection takes no new payments.",
    }),
    account: z.string().nullable().meta({
      description:
        "The gateway's own id of the account; at CHIP, the id of the brand; at Billplz, that of the collection.",
    }),
    account_name: z.string().nullable(),
    last_four: z.string().nullable().meta({ description: "The end of the secret key." }),
    callback_url: UrlOut.meta({ description: "The address to enter at the gateway." }),
    has_webhook_secret: z.boolean(),
    last_callback_at: Timestamp.nullable(),
    checked_at: Timestamp.nullable().meta({
      description: "When the gateway last accepted the key.",
    }),
    revoked_at: Timestamp.nullable(),
    open_attempts: z.int().meta({ description: "Payments without an outcome there." }),
    quarantined: z.int().meta({ description: "Callbacks that were set aside." }),
    business_id: BusinessId,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "GatewayConnection", examples: [example] });

const callbackExample = {
  _id: "evt_1Nexample",
  type: "payment_intent.succeeded",
  status: "quarantined",
  reference: "6740f5d81b2c9e7a04f3d518",
  amount: 1300,
  currency: "MYR",
  problem: "The callback reports MYR 13.00; payment 6740f5d81b2c9e7a04f3d518 asked for MYR 12.50.",
  created_at: "2026-11-20T13:36:02.118204Z",
} as const;

export const GatewayCallback = z
  .object({
    _id: z.string().meta({ description: "The gateway's id of the event." }),
    type: z.string(),
    status: z.enum(callbackStates).meta({
      description:
        "`unmatched`: belongs to no payment here. `quarantined`: set aside, never counted as paid.",
    }),
    reference: z.string().nullable(),
    amount: AmountOut.nullable(),
    currency: z.string().nullable(),
    problem: z.string().nullable(),
    created_at: Timestamp,
  })
  .meta({ id: "GatewayCallback", examples: [callbackExample] });

export type GatewayConnectionInput = z.output<typeof GatewayConnectionInput>;
export type GatewayConnectionUpdate = z.output<typeof GatewayConnectionUpdate>;
export type GatewayConnection = z.output<typeof GatewayConnection>;
export type GatewayCallback = z.output<typeof GatewayCallback>;

export const GatewayConnectionQuery = listQuery(
  ["created_from", "created_to"],
  ["active", "revoked"],
);
export type GatewayConnectionQuery = z.output<typeof GatewayConnectionQuery>;
export const GatewayCallbackQuery = listQuery(
  ["reference", "currency", "amount_min", "amount_max", "created_from", "created_to"],
  callbackStates,
);
export type GatewayCallbackQuery = z.output<typeof GatewayCallbackQuery>;

const tag = "Gateways";
const managed = { tag, access: "staff", roles: ["owner", "admin"] } as const;
const params = z.object({ connection_id: ConnectionId });

export const listGatewayConnections = endpoint({
  ...managed,
  id: "listGatewayConnections",
  method: "GET",
  path: "/gateway-connections",
  summary: "List the gateway connections of this mode",
  query: GatewayConnectionQuery,
  response: page(GatewayConnection),
});
export const connectGateway = endpoint({
  ...managed,
  id: "connectGateway",
  method: "POST",
  path: "/gateway-connections",
  summary: "Connect a gateway",
  reauthenticate: "always",
  body: GatewayConnectionInput,
  response: GatewayConnection,
  description: "The key is checked with the gateway before it is accepted.",
  conflict: "Another account of this gateway is connected in this mode.",
});
export const getGatewayConnection = endpoint({
  ...managed,
  id: "getGatewayConnection",
  method: "GET",
  path: "/gateway-connections/{connection_id}",
  summary: "Get a gateway connection",
  params,
  response: GatewayConnection,
});
export const updateGatewayConnection = endpoint({
  ...managed,
  id: "updateGatewayConnection",
  method: "PUT",
  path: "/gateway-connections/{connection_id}",
  summary: "Change a gateway connection",
  reauthenticate: "always",
  params,
  body: GatewayConnectionUpdate,
  mayBeEmpty: true,
  response: GatewayConnection,
  description:
    "Replaces its secrets, or puts it first. Only a key of the same account is taken, so that open payments there can be finished.",
  conflict: "It is revoked, or has no secrets to replace.",
});
export const revokeGatewayConnection = endpoint({
  ...managed,
  id: "revokeGatewayConnection",
  method: "DELETE",
  path: "/gateway-connections/{connection_id}",
  summary: "Revoke a gateway connection",
  reauthenticate: "always",
  params,
  response: GatewayConnection,
  description:
    "Its secrets are forgotten at once. The same account connected again takes up where it was left.",
  conflict: "It is the simulator.",
});
export const listGatewayCallbacks = endpoint({
  ...managed,
  id: "listGatewayCallbacks",
  method: "GET",
  path: "/gateway-connections/{connection_id}/callbacks",
  summary: "List what a gateway has called back with",
  params,
  query: GatewayCallbackQuery,
  response: page(GatewayCallback),
});
