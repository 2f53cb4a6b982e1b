import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { Id, Mode, Name, Timestamp, UrlOut } from "./fields";
import { listQuery } from "./lists";
import { callbackStatuses, integrationLimits, shopPlugins } from "./values";

export const IntegrationInput = z
  .object({
    name: Name(integrationLimits.name).meta({
      description: "At most 100 characters.",
      examples: ["Web shop"],
    }),
    plugin: z.enum(shopPlugins).meta({ description: "The plugin that the shop uses." }),
  })
  .meta({ id: "IntegrationInput", examples: [{ name: "Web shop", plugin: "woocommerce" }] });

const hookExample = {
  _id: "6740f7c81b2c9e7a04f3d601",
  url: "https://shop.example/?wc-api=swipego_wc_gateway",
  enabled: true,
  created_at: "2026-11-20T13:34:45.423258Z",
};

const callbackExample = {
  _id: "6740f5c1a7b1c2d3e4f50617",
  url: hookExample.url,
  payment_link_id: "6740f5c19e3c6f70b2d81a44",
  payment_id: "6740f5d49e3c6f70b2d81a45",
  status: "delivered" as const,
  attempts: 1,
  next_attempt_at: null,
  body: null,
  history: [
    {
      status_code: 200,
      error: null,
      response: "Swipe IPN webhook success",
      duration_ms: 87,
      created_at: "2026-11-20T13:41:06.010337Z",
    },
  ],
  created_at: "2026-11-20T13:41:05.981200Z",
  updated_at: "2026-11-20T13:41:06.104771Z",
};

export const IntegrationCallback = z
  .object({
    _id: Id,
    url: UrlOut.meta({ description: "Where it goes now." }),
    payment_link_id: Id,
    payment_id: Id,
    status: z.enum(callbackStatuses).meta({
      description:
        "`refused`: the shop received it and did not accept it. `failed`: the last attempt failed. `stopped`: the hook or the integration ended.",
    }),
    attempts: z.int(),
    next_attempt_at: Timestamp.nullable(),
    body: z.string().nullable().meta({
      description: "What is sent, the same at every attempt; null before the first one.",
    }),
    history: z.array(
      z.object({
        status_code: z.int().nullable(),
        error: z.string().nullable(),
        response: z.string().nullable().meta({ description: "The shop's own words." }),
        duration_ms: z.int(),
        created_at: Timestamp,
      }),
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "IntegrationCallback", examples: [callbackExample] });

const example = {
  _id: "6740f5d81b2c9e7a04f3d519",
  name: "Web shop",
  plugin: "woocommerce" as const,
  mode: "test" as const,
  number: 1,
  hooks: [hookExample],
  last_callback: callbackExample,
  password_shown_to: ["Ana Costa"],
  keys_replaced_at: null,
  keys_read_at: null,
  last_seen_at: null,
  revoked_at: null,
  created_at: "2026-11-20T13:34:45.423258Z",
  updated_at: "2026-11-20T13:34:45.423258Z",
};

export const Integration = z
  .object({
    _id: Id,
    name: z.string(),
    plugin: z.enum(shopPlugins),
    mode: Mode,
    number: z.int().meta({ description: "The plugin knows the integration by this number." }),
    hooks: z.array(z.object({ _id: Id, url: UrlOut, enabled: z.boolean(), created_at: Timestamp })),
    last_callback: IntegrationCallback.nullable(),
    password_shown_to: z.array(z.string()).meta({
      description:
        "Who was shown a password since the keys were last replaced, by name. They may know the keys too.",
    }),
    keys_replaced_at: Timestamp.nullable().meta({
      description: "When its keys were last replaced.",
    }),
    keys_read_at: Timestamp.nullable().meta({
      description:
        "When the plugin last read the keys that replaced others, until its shop was known to have saved them. Callbacks wait until 15 minutes after it.",
    }),
    last_seen_at: Timestamp.nullable().meta({ description: "The plugin's last call." }),
    revoked_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Integration", examples: [example] });

export const IntegrationWithPassword = Integration.extend({
  password: z.string().meta({ description: "For the plugin's sign-in: shown this once." }),
}).meta({
  id: "IntegrationWithPassword",
  examples: [
    {
      ...example,
      password: "ip_test_6740f5d81b2c9e7a04f3d5190000000000000000000000000000000000000000000",
    },
  ],
});

export const MemberIntegration = Integration.pick({
  _id: true,
  name: true,
  plugin: true,
  mode: true,
}).meta({
  id: "MemberIntegration",
  examples: [{ _id: example._id, name: "Web shop", plugin: "woocommerce", mode: "test" }],
});

export type IntegrationInput = z.output<typeof IntegrationInput>;
export type Integration = z.output<typeof Integration>;
export type IntegrationWithPassword = z.output<typeof IntegrationWithPassword>;
export type MemberIntegration = z.output<typeof MemberIntegration>;
export type IntegrationCallback = z.output<typeof IntegrationCallback>;

export const IntegrationQuery = listQuery(["created_from", "created_to"], ["active", "revoked"]);
export type IntegrationQuery = z.output<typeof IntegrationQuery>;
export const IntegrationCallbackQuery = listQuery(
  ["created_from", "created_to", "payment_link_id"],
  callbackStatuses,
);
export type IntegrationCallbackQuery = z.output<typeof IntegrationCallbackQuery>;

const params = z.object({ integration_id: Id });
const managed = { tag: "Shop plugins", access: "staff", roles: ["owner", "admin"] } as const;

export const listIntegrations = endpoint({
  ...managed,
  id: "listIntegrations",
  method: "GET",
  path: "/integrations",
  summary: "List shop plugins",
  query: IntegrationQuery,
  response: page(Integration),
});
export const createIntegration = endpoint({
  ...managed,
  id: "createIntegration",
  method: "POST",
  path: "/integrations",
  summary: "Connect a shop plugin",
  reauthenticate: "live",
  body: IntegrationInput,
  response: IntegrationWithPassword,
  showsSecret: true,
  conflict: "There are 50 already.",
});
export const getIntegration = endpoint({
  ...managed,
  id: "getIntegration",
  method: "GET",
  path: "/integrations/{integration_id}",
  summary: "Get a shop plugin",
  params,
  response: Integration,
});
export const revokeIntegration = endpoint({
  ...managed,
  id: "revokeIntegration",
  method: "DELETE",
  path: "/integrations/{integration_id}",
  summary: "Revoke a shop plugin",
  reauthenticate: "live",
  params,
  response: Integration,
});
export const renewIntegrationPassword = endpoint({
  ...managed,
  id: "renewIntegrationPassword",
  method: "POST",
  path: "/integrations/{integration_id}/password",
  summary: "Make a new password for a shop plugin",
  reauthenticate: "live",
  params,
  response: IntegrationWithPassword,
  showsSecret: true,
  description: "Ends the password and the sign-ins from before. Its API key stays.",
  conflict: "The integration is revoked.",
});
export const replaceIntegrationKeys = endpoint({
  ...managed,
  id: "replaceIntegrationKeys",
  method: "POST",
  path: "/integrations/{integration_id}/keys",
  summary: "Replace the keys of a shop plugin",
  reauthenticate: "live",
  params,
  response: IntegrationWithPassword,
  showsSecret: true,
  description:
    "Ends API key, signature key, password and sign-ins at once. The plugin signs in with the new password and reads the new keys. Callbacks wait for that, so that none is signed with a key that the shop does not have.",
  conflict: "The integration is revoked.",
});
export const listIntegrationCallbacks = endpoint({
  ...managed,
  id: "listIntegrationCallbacks",
  method: "GET",
  path: "/integrations/{integration_id}/callbacks",
  summary: "List the callbacks of a shop plugin",
  params,
  query: IntegrationCallbackQuery,
  response: page(IntegrationCallback),
});
