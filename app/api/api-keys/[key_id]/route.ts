import { revokeApiKey } from "@/lib/contract/api-keys";
import { revoke } from "@/lib/domain/api-keys/manage";
import { defineRoute } from "@/lib/http/define-route";

export const DELETE = defineRoute(revokeApiKey, ({ ctx, params }) => revoke(ctx, params.key_id));
