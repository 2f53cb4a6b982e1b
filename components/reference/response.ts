import { env } from "@/lib/env";
import { openApi } from "@/lib/http/openapi";
import { referencePolicy, renderReference } from "./document";

let page: Promise<string> | undefined;

/** The reference of the API as a page. It is made once in a process. */
export async function referenceResponse(): Promise<Response> {
  page ??= renderReference(openApi().document, env.BASE_URL);
  return new Response(await page, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "content-security-policy": referencePolicy,
      "referrer-policy": "strict-origin-when-cross-origin",
      "x-content-type-options": "nosniff",
    },
  });
}
