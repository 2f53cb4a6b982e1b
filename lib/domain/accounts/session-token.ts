import { env } from "@/lib/env";

/** The name of a sign-in cookie of this install. */
export const cookieName = (kind: string) =>
  `${env.BASE_URL.startsWith("https:") ? "__Secure-" : ""}kutip.${kind}`;

export const SESSION_COOKIE = "session_token";

/** The pairs of a Cookie header, as sent. */
export const cookiePairs = (header: string) => header.split(/; */);

/** The session's token in a Cookie header; undefined without one. The token alone is proof; its signature is not checked. */
export function sessionTokenIn(header: string): string | undefined {
  const name = `${cookieName(SESSION_COOKIE)}=`;
  const pair = cookiePairs(header).find((one) => one.startsWith(name));
  return pair?.slice(name.length).split(/[.%]/, 1)[0] || undefined;
}
