import { getIntegration, revokeIntegration } from "@/lib/contract/integrations";
import { get, revoke } from "@/lib/domain/integrations/manage";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getIntegration, ({ ctx, params }) =>
  get(ctx, params.integration_id),
);
export const DELETE = defineRoute(revokeIntegration, ({ ctx, params }) =>
  revoke(ctx, params.integration_id),
);
