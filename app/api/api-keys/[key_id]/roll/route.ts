import { rollApiKey } from "@/lib/contract/api-keys";
import { roll } from "@/lib/domain/api-keys/manage";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(rollApiKey, ({ ctx, params, body }) =>
  roll(ctx, params.key_id, body),
);
