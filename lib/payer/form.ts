import { readBytes } from "@/lib/http/body";
import { Problem } from "@/lib/kernel/problem";

const maxBytes = 4_096;

/** The fields of a payer's form. Throws 413, 415, and 403 for a post that another site's page sent. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  // A genuine post carries `Origin: null` under no-referrer, so the browser's own word for cross-site is asked instead.
  if (request.headers.get("sec-fetch-site") === "cross-site")
    throw new Problem(403, "cross_origin", "This form was not sent from its own page.");
  if (
    !request.headers
      .get("content-type")
      ?.toLowerCase()
      .startsWith("application/x-www-form-urlencoded")
  ) {
    throw new Problem(415, "unsupported_media_type", "The form must be URL-encoded.");
  }
  return new URLSearchParams(Buffer.from(await readBytes(request, maxBytes)).toString("utf8"));
}
