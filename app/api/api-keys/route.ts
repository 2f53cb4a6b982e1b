import { createApiKey, listApiKeys } from "@/lib/contract/api-keys";
import { create, list } from "@/lib/domain/api-keys/manage";
import { validateExpiry } from "@/lib/domain/expiry";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listApiKeys, ({ ctx, query, search }) => list(ctx, query, search));
export const POST = defineRoute(
  createApiKey,
  ({ ctx, body }) => create(ctx, body),
  ({ body }) => validateExpiry(body),
);
