import { openApi } from "@/lib/http/openapi";
import { publicRoute } from "@/lib/http/public-route";

/** The OpenAPI 3.1 document of this install; open to everybody. */
export const GET = publicRoute(
  () =>
    new Response(openApi().text, {
      headers: {
        "content-type": "application/json",
        "x-content-type-options": "nosniff",
      },
    }),
);
