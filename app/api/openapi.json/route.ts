import { randomUUID } from "node:crypto";
import { openApi } from "@/lib/http/openapi";

/** The OpenAPI 3.1 document of this install; open to everybody. */
export async function GET(): Promise<Response> {
  return new Response(openApi().text, {
    headers: {
      "content-type": "application/json",
      "x-content-type-options": "nosniff",
      "x-request-id": randomUUID(),
    },
  });
}
