import { unscopedFindLogo } from "@/lib/domain/businesses/rows";
import { notFound } from "@/lib/kernel/problem";
import type { Visit } from "./answer";

/** A business's logo by its digest, so that browsers may keep it forever. Mails show it too, so other sites may. */
export async function showLogo({ context }: Visit): Promise<Response> {
  const digest = String((await context.params)?.digest);
  const logo = /^[0-9a-f]{64}$/.test(digest) ? await unscopedFindLogo(digest) : undefined;
  if (!logo) throw notFound();
  return new Response(new Uint8Array(logo.bytes), {
    headers: {
      "content-type": logo.type,
      "cache-control": "public, max-age=31536000, immutable",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "cross-origin",
      "x-content-type-options": "nosniff",
    },
  });
}
