import { change, remove } from "@/lib/domain/integrations/hooks";
import { idIn } from "@/lib/http/v1/define-route";
import { hookChange } from "@/lib/http/v1/hooks";
import { hookRoute } from "@/lib/http/v1/routes";

export const PATCH = hookRoute(
  "updatePluginHook",
  ({ ctx, caller, params, body }) =>
    change(ctx, caller.integration, idIn(params, "webhook_event_id"), hookChange(body)),
  { takesBody: true },
);
export const DELETE = hookRoute("deletePluginHook", ({ ctx, caller, params }) =>
  remove(ctx, caller.integration, idIn(params, "webhook_event_id")),
);
