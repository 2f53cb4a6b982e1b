import { constantTimeEqual, makeSignature } from "better-auth/crypto";
import { activeKey, authSecretOf, type Key, knownKeys } from "@/lib/kernel/secrets";
import { cookieName, cookiePairs, SESSION_COOKIE, sessionTokenIn } from "./session-token";

/**
 * The Cookie header that better-auth gets. It holds the session that our own routes find, and no other: both must see the same person. While the
 * secret is rotated, what the other secret signed is signed by the active one. A session's token is proof in itself, so that no rotation ends a session.
 */
export async function withActiveSignatures(header: string): Promise<string> {
  const texts = signInCookies(header);
  const token = sessionTokenIn(header);
  if (token === undefined) texts.delete(SESSION_COOKIE);
  else texts.set(SESSION_COOKIE, await signed(token, activeKey()));
  const pairs = [...texts].map(async ([kind, text]) => {
    const value = kind === SESSION_COOKIE ? text : await signedAnew(text);
    return `${cookieName(kind)}=${encodeURIComponent(value)}`;
  });
  return (await Promise.all(pairs)).join("; ");
}

/** The values of this install's cookies by kind, decoded. The first of a name counts, as in better-auth. */
function signInCookies(header: string): Map<string, string> {
  const prefix = cookieName("");
  const texts = new Map<string, string>();
  for (const pair of cookiePairs(header)) {
    const at = pair.indexOf("=");
    const [name, text] = [pair.slice(0, at), decoded(pair.slice(at + 1))];
    const kind = name.slice(prefix.length);
    const isOurs = at > 0 && name.startsWith(prefix) && /^[\w.-]+$/.test(kind);
    if (isOurs && text !== undefined && !texts.has(kind)) texts.set(kind, text);
  }
  return texts;
}

/** The value with a signature of the active secret, if a known secret has signed it; else the text as it is. */
async function signedAnew(text: string): Promise<string> {
  const value = text.slice(0, Math.max(0, text.lastIndexOf(".")));
  if (value === "") return text;
  const accepted = await Promise.all(knownKeys().map((key) => signed(value, key)));
  return accepted.some((one) => constantTimeEqual(text, one)) ? signed(value, activeKey()) : text;
}

const signed = async (value: string, key: Key) =>
  `${value}.${await makeSignature(value, authSecretOf(key).value)}`;

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
