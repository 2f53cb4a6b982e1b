import { approvedBusiness } from "@/lib/domain/integrations/sign-in";
import { definePluginRoute } from "@/lib/http/v1/define-route";

export const GET = definePluginRoute(
  { id: "listApprovedBusinesses", subject: "integration", credentials: ["token"] },
  async ({ ctx, caller }) => [await approvedBusiness(ctx, caller.integration)],
);
