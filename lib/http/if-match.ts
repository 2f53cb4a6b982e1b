import { malformed } from "@/lib/kernel/problem";
import { optionalHeader } from "./optional-header";

/** The version in the If-Match header; undefined without one, and for `*`. Throws 400 for all else. */
export function ifMatch(request: Request): number | undefined {
  const header = optionalHeader(request, "if-match")?.trim();
  if (header === undefined || header === "*") return undefined;
  const version = /^"(\d{1,10})"$/.exec(header)?.[1];
  if (version === undefined)
    throw malformed('The If-Match header must be one version in double quotes, such as "7".');
  return Number(version);
}
