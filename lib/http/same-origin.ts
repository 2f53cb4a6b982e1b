import { env } from "@/lib/env";
import { Problem } from "@/lib/kernel/problem";

const safe = new Set(["GET", "HEAD", "OPTIONS"]);

const crossOrigin = () =>
  new Problem(403, "cross_origin", "This call must come from Kutip's own pages.");

/**
 * For calls a browser signs with a cookie: an unsafe one must come from our own pages. Throws 403.
 * With `cookie` false a caller that names no origin at all, which no browser does, may pass.
 */
export function assertSameOrigin(request: Request, cookie = true): void {
  if (safe.has(request.method)) return;
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  if (site === "same-origin" || (site === null && origin === env.BASE_URL)) return;
  if (origin === env.BASE_URL && site !== "cross-site") return;
  if (!cookie && origin === null && site === null) return;
  throw crossOrigin();
}

/** The same for safe calls that the page of another site must not cause. Programs name no site. Throws 403. */
export function assertOwnSite(request: Request): void {
  if (!safe.has(request.method)) return;
  const site = request.headers.get("sec-fetch-site");
  if (site === "cross-site" || site === "same-site") throw crossOrigin();
}
