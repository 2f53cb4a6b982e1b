/** The sign-in page with the address to return to. */
export const signInAddress = (next: string): string =>
  next === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(next)}`;

/** Where to go after signing in: only a path of this site, never another site's address. */
export function safeNext(next: string | null | undefined): string {
  if (!next?.startsWith("/")) return "/";
  const origin = "http://kutip.invalid";
  if (/[\\\p{Cc}]/u.test(next) || !URL.canParse(next, origin)) return "/";
  const url = new URL(next, origin);
  // "/..//host" is "//host" once its dots are gone.
  return url.origin === origin && !url.pathname.startsWith("//")
    ? url.pathname + url.search + url.hash
    : "/";
}
