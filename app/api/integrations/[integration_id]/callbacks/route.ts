import { listIntegrationCallbacks } from "@/lib/contract/integrations";
import { callbacks } from "@/lib/domain/integrations/manage";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listIntegrationCallbacks, ({ ctx, params, query, search }) =>
  callbacks(ctx, params.integration_id, query, search),
);
