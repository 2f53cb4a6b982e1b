import { noteKeysSaved } from "@/lib/domain/integrations/rows";
import { createOnce } from "@/lib/domain/payment-links/create-once";
import { linkInput, listPluginLinks } from "@/lib/http/v1/links";
import { definePluginRoute } from "@/lib/http/v1/define-route";
import { linkRoute } from "@/lib/http/v1/routes";

export const GET = definePluginRoute(
  { id: "listPluginLinks", subject: "payment_link", credentials: ["api_key", "token"] },
  ({ ctx, caller, search }) => listPluginLinks(ctx, caller.integration.id, search),
);
export const POST = linkRoute(
  "createPluginLink",
  async ({ ctx, caller, body }) => {
    const input = await linkInput(ctx, body);
    if (caller.credential === "api_key") await noteKeysSaved(ctx, caller.integration);
    return createOnce(ctx, caller.integration.id, input);
  },
  { takesBody: true, money: true },
);
