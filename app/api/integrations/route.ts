import { createIntegration, listIntegrations } from "@/lib/contract/integrations";
import { create, list } from "@/lib/domain/integrations/manage";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listIntegrations, ({ ctx, query, search }) =>
  list(ctx, query, search),
);
export const POST = defineRoute(createIntegration, ({ ctx, body }) => create(ctx, body));
