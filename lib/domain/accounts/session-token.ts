import { env } from "@/lib/env";

/** The name of a sign-in cookie of this install. */
export const cookieName = (kind: string) =>
  `${env.BASE_URL.startsWith("https:") ? "__Secure-" : ""}kutip.${kind}`;

export const SESSION_COOKIE = "session_token";
const BRIEF_COOKIE = "dont_remember";

/** The pairs of a Cookie header, as sent. */
export const cookiePairs = (header: string) => header.split(/; */);

/** The session's token in a Cookie header; undefined without one. The token alone is proof; its signature is not checked. */
export function sessionTokenIn(header: string): string | undefined {
  const name = `${cookieName(SESSION_COOKIE)}=`;
  const pair = cookiePairs(header).find((one) => one.startsWith(name));
  return pair?.slice(name.length).split(/[.%]/, 1)[0] || undefined;
}

/** A Cookie header without the choice that an earlier sign-in was not to be remembered. */
export const withoutBrief = (header: string): string =>
  cookiePairs(header)
    .filter((pair) => !pair.startsWith(`${cookieName(BRIEF_COOKIE)}=`))
    .join("; ");
