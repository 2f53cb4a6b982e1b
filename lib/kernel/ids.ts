import { hash, randomBytes, randomUUID } from "node:crypto";

/** A record's `_id`: 24 lowercase hex characters, 4 bytes of unix seconds and 8 random bytes. `at` in milliseconds. */
export function newId(at: number = Date.now()): string {
  const bytes = randomBytes(12);
  bytes.writeUInt32BE(Math.floor(at / 1000) >>> 0, 0);
  return bytes.toString("hex");
}

/** Whether a text has the form of an `_id`. */
export const isId = (text: string) => /^[0-9a-f]{24}$/.test(text);

/** An `_id` that is the same whenever it is made for the same thing, `parts` naming it; `at` in milliseconds is where its seconds lie. */
export function derivedId(at: number, ...parts: readonly (string | number)[]): string {
  const bytes = hash("sha256", JSON.stringify(parts), "buffer").subarray(0, 12);
  bytes.writeUInt32BE(Math.floor(at / 1000) >>> 0, 0);
  return bytes.toString("hex");
}

/** A request id: a version 7 UUID, which begins with 48 bits of milliseconds, so that rows are stored in order of time. */
export function newRequestId(at: number = Date.now()): string {
  const moment = at.toString(16).padStart(12, "0");
  return `${moment.slice(0, 8)}-${moment.slice(8)}-7${randomUUID().slice(15)}`;
}

/** A bearer secret for an address: 32 random bytes as 64 hex characters. */
export function newToken(): string {
  return randomBytes(32).toString("hex");
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function base62(bytes: Uint8Array, length: number): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  while (text.length < length) {
    text = alphabet[Number(value % 62n)] + text;
    value /= 62n;
  }
  return text;
}

const CHECKSUM_BYTES = 4;

function checksum(text: string): string {
  return base62(hash("sha256", text, "buffer").subarray(0, CHECKSUM_BYTES), 6);
}

/** `sk_test_…` or `sk_live_…`: 32 random bytes in base62 (43 characters) and a checksum of six. */
export function newApiKey(mode: "test" | "live"): string {
  const body = `sk_${mode}_${base62(randomBytes(32), 43)}`;
  return body + checksum(body);
}

/** Whether a text can be an API key at all: shape and checksum, so that a mistyped key never reaches the database. */
export function looksLikeApiKey(key: string): boolean {
  return (
    /^sk_(test|live)_[0-9A-Za-z]{49}$/.test(key) && checksum(key.slice(0, -6)) === key.slice(-6)
  );
}

/** What a credential of a shop plugin is: its API key, the password of its sign-in, or the token that a sign-in hands out. */
export type IntegrationCredential = "api_key" | "password" | "token";
const credentialPrefixes: Readonly<Record<IntegrationCredential, string>> = {
  api_key: "ik",
  password: "ip",
  token: "it",
};

/**
 * A credential of an integration: it names the integration and holds 32 random bytes. Only letters, digits and `_`: WordPress removes tags,
 * `%xx` and blanks from what people paste.
 */
export const newCredential = (
  kind: IntegrationCredential,
  mode: "test" | "live",
  integrationId: string,
): string => `${credentialPrefixes[kind]}_${mode}_${integrationId}${base62(randomBytes(32), 43)}`;

/** The id of the integration that a credential of this kind names; undefined for any other text. */
export const integrationOf = (kind: IntegrationCredential, text: string): string | undefined =>
  new RegExp(`^${credentialPrefixes[kind]}_(?:test|live)_([0-9a-f]{24})[0-9A-Za-z]{43}$`).exec(
    text,
  )?.[1];
