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
  async ({ ctx, caller, body }) =>
    createOnce(ctx, caller.integration.id, await linkInput(ctx, body)),
  { takesBody: true, money: true },
);
