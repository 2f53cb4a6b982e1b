import { replaceIntegrationKeys } from "@/lib/contract/integrations";
import { replaceKeys } from "@/lib/domain/integrations/manage";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(replaceIntegrationKeys, ({ ctx, params }) =>
  replaceKeys(ctx, params.integration_id),
);
