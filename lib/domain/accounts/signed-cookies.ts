import { constantTimeEqual, makeSignature } from "better-auth/crypto";
import { activeKey, authSecretOf, knownKeys } from "@/lib/kernel/secrets";

const OURS = /^(?:__Secure-)?kutip\.(.+)$/;
const SESSION = "session_token";

/**
 * The Cookie header as better-auth takes it while the secret is rotated: what the other secret signed is signed by the active one. A session's
 * token is proof in itself, so that no rotation ends a session.
 */
export async function withActiveSignatures(cookie: string): Promise<string> {
  return (await Promise.all(cookie.split(/; */).map(signedAnew))).join("; ");
}

async function signedAnew(pair: string): Promise<string> {
  const [name = "", ...rest] = pair.split("=");
  const [, kind] = OURS.exec(name) ?? [];
  const text = decoded(rest.join("="));
  const at = text?.lastIndexOf(".") ?? -1;
  if (!kind || text === undefined || at < 0) return pair;
  const [value, given] = [text.slice(0, at), text.slice(at + 1)];
  const [right, ...others] = await Promise.all(
    [activeKey(), ...knownKeys()].map((key) => makeSignature(value, authSecretOf(key).value)),
  );
  const accepted = kind === SESSION || others.some((other) => constantTimeEqual(given, other));
  return accepted ? `${name}=${encodeURIComponent(`${value}.${right}`)}` : pair;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
