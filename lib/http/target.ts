import type { Match } from "./match";

// What URL parsers drop, split at or read as a slash.
const ambiguous = /[^\x21-\x7e]|[\\#]|\/\//;
const dotSegment = /(?:^|\/)\.{1,2}(?:\/|$)/;

/**
 * The path of a request's target, without query and trailing slash. Undefined for a target that two programs could read in two ways:
 * absolute form, `*`, backslashes, fragments, doubled slashes, raw bytes beyond ASCII, and dot segments, also percent-encoded.
 */
export function pathOf(target: string | undefined): string | undefined {
  if (!target?.startsWith("/")) return undefined;
  const end = target.indexOf("?");
  const path = end < 0 ? target : target.slice(0, end);
  if (ambiguous.test(path)) return undefined;
  if (path.includes("%") || path.includes("/.")) {
    const plain = path.replace(/%2e/gi, ".").replace(/%(?:2f|5c)/gi, "/");
    if (dotSegment.test(plain)) return undefined;
  }
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

const MAX_DECODINGS = 4;

/**
 * Whether a framework that decodes, folds or strips a path could match it to one of our route files. `match` has refused the path as it
 * came. Such a path must not reach the framework, which would call the route file without our limits and log.
 */
export function resemblesRoute(path: string, match: (path: string) => Match | undefined): boolean {
  let text = path;
  for (let decodings = 0; decodings < MAX_DECODINGS; decodings++) {
    if (match(folded(text))) return true;
    let decoded: string;
    try {
      decoded = decodeURIComponent(text);
    } catch {
      return true;
    }
    if (decoded === text) return false;
    text = decoded;
  }
  return true;
}

/** The path as the most eager reader would see it. */
function folded(path: string): string {
  const cut = path.replace(/[\\]/g, "/").replace(/[?#;].*$/s, "");
  const resolved = new URL(`http://x/${cut}`).pathname.replace(/\/{2,}/g, "/");
  const plain = resolved
    .toLowerCase()
    .replace(/^\/_next\/data\/[^/]+(?=\/)/, "")
    .replace(/^\/index(?=\/)/, "");
  return withoutSuffixes(plain).replace(/(?<=.)\/$/, "");
}

const SUFFIXES = [".segment.rsc", ".json", ".rsc", ".txt", ".html"];

/** From the end, so that the time grows with the length alone: an expression that ends in `$` is tried at every dot. */
function withoutSuffixes(path: string): string {
  const segments = path.indexOf(".segments/");
  let end = segments < 0 ? path.length : segments;
  for (;;) {
    const suffix = SUFFIXES.find((one) => path.endsWith(one, end));
    if (!suffix) return path.slice(0, end);
    end -= suffix.length;
  }
}
