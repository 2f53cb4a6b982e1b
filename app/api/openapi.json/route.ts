import { openApi } from "@/lib/http/openapi";
import { publicRoute } from "@/lib/http/public-route";
import { respond } from "@/lib/http/respond";

/** The OpenAPI 3.1 document of this install; open to everybody. */
export const GET = publicRoute(() => respond(200, openApi().text, {}));
