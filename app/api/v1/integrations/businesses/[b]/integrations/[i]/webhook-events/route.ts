import { add, list } from "@/lib/domain/integrations/hooks";
import { hookInput, hookPage } from "@/lib/http/v1/hooks";
import { hookRoute } from "@/lib/http/v1/routes";

export const GET = hookRoute("listPluginHooks", async ({ ctx, caller: { integration } }) =>
  hookPage(await list(ctx, integration.id), ctx.businessId, integration.number),
);
export const POST = hookRoute(
  "createPluginHook",
  ({ ctx, caller, body }) => add(ctx, caller.integration, hookInput(body)),
  { takesBody: true },
);
