import { assertOwned, getUsable } from "@/lib/domain/payment-links/of-integration";
import { remove, update } from "@/lib/flows/link-change/steps";
import { idIn } from "@/lib/http/v1/define-route";
import { linkInput } from "@/lib/http/v1/links";
import { linkRoute } from "@/lib/http/v1/routes";

export const GET = linkRoute("getPluginLink", async ({ ctx, caller, params }) =>
  getUsable(ctx, caller.integration.id, idIn(params, "payment_link_id")),
);
export const PUT = linkRoute(
  "updatePluginLink",
  async ({ ctx, caller, params, body }) => {
    const id = idIn(params, "payment_link_id");
    await assertOwned(ctx, caller.integration.id, id);
    return update(ctx, id, await linkInput(ctx, body, id));
  },
  { takesBody: true, versioned: true },
);
export const DELETE = linkRoute(
  "deletePluginLink",
  async ({ ctx, caller, params }) => {
    const id = idIn(params, "payment_link_id");
    await assertOwned(ctx, caller.integration.id, id);
    return remove(ctx, id);
  },
  { versioned: true },
);
