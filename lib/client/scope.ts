import type { Mode } from "@/lib/contract/values";

/** The business and the mode in an address of the console. */
export type Scope = { business: string; mode: Mode };

/** Reads `/b/1001/test/…`; undefined on pages outside any business. */
export function scopeOf(pathname: string): Scope | undefined {
  const [, business, mode] = /^\/b\/([^/]+)\/(test|live)(?:\/|$)/.exec(pathname) ?? [];
  return business && mode
    ? { business: decodeURIComponent(business), mode: mode as Scope["mode"] }
    : undefined;
}

/** An address inside the console: `consolePath(scope, "/payment-links")`. */
export const consolePath = ({ business, mode }: Scope, path = ""): string =>
  `/b/${encodeURIComponent(business)}/${mode}${path}`;

// Their pages are no records and exist everywhere.
const withPages = ["developers", "settings"];

/** The same page of the other mode or of another business; a record's own page becomes its list, since the record is not there. */
export function switchScope(pathname: string, to: Scope): string {
  const [section, page] = pathname.split("/").slice(4);
  const kept = section && page && withPages.includes(section) ? [section, page] : [section];
  return consolePath(to, section ? `/${kept.join("/")}` : "");
}
