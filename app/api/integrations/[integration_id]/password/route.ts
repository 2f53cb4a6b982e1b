import { renewIntegrationPassword } from "@/lib/contract/integrations";
import { renewPassword } from "@/lib/domain/integrations/manage";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(renewIntegrationPassword, ({ ctx, params }) =>
  renewPassword(ctx, params.integration_id),
);
