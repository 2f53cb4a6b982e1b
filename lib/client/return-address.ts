/** A page of the way in, with the address to return to once one is in. */
export const wayIn = (
  page: "/sign-in" | "/two-factor" | "/forgot-password",
  next: string | null,
): string => (next === null || next === "/" ? page : `${page}?next=${encodeURIComponent(next)}`);

export const signInAddress = (next: string | null): string => wayIn("/sign-in", next);

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
