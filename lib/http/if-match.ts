import { type FieldErrors, malformed } from "@/lib/kernel/problem";
import { optionalHeader } from "./optional-header";

/** The version in the If-Match header; undefined without one, and for `*`. Throws 400 for all else. */
function ifMatch(request: Request): number | undefined {
  const header = optionalHeader(request, "if-match")?.trim();
  if (header === undefined || header === "*") return undefined;
  const version = /^"(\d{1,10})"$/.exec(header)?.[1];
  if (version === undefined)
    throw malformed('The If-Match header must be one version in double quotes, such as "7".');
  return Number(version);
}

/** The version that a write is based on, by its `If-Match` or its body. It is refused where they name two. Throws 400. */
export function seenVersionIn(
  request: Request,
  body: unknown,
): { seenVersion: number | undefined; objections: FieldErrors } {
  const header = ifMatch(request);
  const given = (body as { version?: unknown } | undefined)?.version;
  const inBody = typeof given === "number" ? given : undefined;
  const differ = header !== undefined && inBody !== undefined && header !== inBody;
  return {
    seenVersion: header ?? inBody,
    objections: differ ? { version: ["The version and If-Match must match."] } : {},
  };
}
