import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { FutureMoment, Id, Mode, Name, Timestamp } from "./fields";
import { listQuery } from "./lists";
import { overlapHours } from "./values";

export const ApiKeyInput = z
  .object({
    name: Name(100).meta({ description: "At most 100 characters.", examples: ["Web shop"] }),
    expires_at: FutureMoment.optional(),
  })
  .meta({ id: "ApiKeyInput", examples: [{ name: "Web shop" }] });

export const RollInput = z
  .object({
    overlap_hours: z
      .int()
      .min(0)
      .max(overlapHours.max)
      .optional()
      .meta({
        description: "How long the old key still works: 0 to 168 hours, default 24.",
        examples: [24],
      }),
  })
  .meta({ id: "ApiKeyRoll", examples: [{ overlap_hours: 24 }] });

const example = {
  _id: "6740f5d81b2c9e7a04f3d518",
  name: "Web shop",
  mode: "test",
  last_four: "x9Qa",
  created_by: "Ana Costa",
  last_used_at: null,
  expires_at: null,
  revoked_at: null,
  created_at: "2026-11-20T13:34:45.423258Z",
  updated_at: "2026-11-20T13:34:45.423258Z",
} as const;

export const ApiKey = z
  .object({
    _id: Id,
    name: z.string(),
    mode: Mode,
    last_four: z.string(),
    created_by: z.string().nullable().meta({ description: "Who made it; null for the operator." }),
    last_used_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable().meta({
      description:
        "When the key stops working. It lies in the future while a rolled key still works.",
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "ApiKey", examples: [example] });

export const NewApiKey = ApiKey.extend({
  key: z.string().meta({ description: "The key itself: shown this once." }),
}).meta({
  id: "NewApiKey",
  examples: [{ ...example, key: "sk_test_0000000000000000000000000000000000000000000000000" }],
});

export type ApiKeyInput = z.output<typeof ApiKeyInput>;
export type RollInput = z.output<typeof RollInput>;
export type ApiKey = z.output<typeof ApiKey>;
export type NewApiKey = z.output<typeof NewApiKey>;

export const ApiKeyQuery = listQuery(["created_from", "created_to"], ["active", "revoked"]);
export type ApiKeyQuery = z.output<typeof ApiKeyQuery>;
const params = z.object({ key_id: Id });

const tag = "API keys";
const managed = { tag, access: "staff", roles: ["owner", "admin"] } as const;

export const listApiKeys = endpoint({
  ...managed,
  id: "listApiKeys",
  method: "GET",
  path: "/api-keys",
  summary: "List API keys",
  query: ApiKeyQuery,
  response: page(ApiKey),
});
export const createApiKey = endpoint({
  ...managed,
  id: "createApiKey",
  method: "POST",
  path: "/api-keys",
  summary: "Create an API key",
  reauthenticate: "live",
  body: ApiKeyInput,
  response: NewApiKey,
  showsSecret: true,
});
export const revokeApiKey = endpoint({
  ...managed,
  id: "revokeApiKey",
  method: "DELETE",
  path: "/api-keys/{key_id}",
  summary: "Revoke an API key",
  reauthenticate: "live",
  params,
  response: ApiKey,
});
export const rollApiKey = endpoint({
  ...managed,
  id: "rollApiKey",
  method: "POST",
  path: "/api-keys/{key_id}/roll",
  summary: "Roll an API key",
  reauthenticate: "live",
  params,
  body: RollInput,
  response: NewApiKey,
  showsSecret: true,
  description: "The new key works at once; the old one until the overlap is over.",
  conflict: "The key is already revoked or rolled, or has expired.",
});
