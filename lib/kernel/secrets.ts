import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { env } from "@/lib/env";

/** What a derived key is for; one purpose can never open what was sealed for another. */
export type Purpose =
  | "tokenization"
  | "activation_return"
  | "signing_secret"
  | "gateway"
  | "integration"
  | "idempotency"
  | "cursor"
  | "webhook"
  | "chat"
  | "check"
  | "key_id"
  | "mail"
  | "payer"
  | "auth"
  | "invitation"
  | "receipt"
  | "known_browser"
  | "audit";

/** A secret of the install, KUTIP_SECRET or KUTIP_SECRET_PREVIOUS. Sealed values name it by its id, which tells nothing about it. */
export type Key = { id: string; secret: string; derive: (purpose: Purpose) => KeyObject };

/** The secret that seals and signs, by its id. */
export type ActiveKey = {
  id: string;
  /** The secret that a rotation under way replaces. */
  rotatingFrom?: string | undefined;
  /** The moment of `performance.now()` at which the database last said so; absent where it cannot change. */
  confirmedAt?: number | undefined;
};

const KEY_ID_BYTES = 6;
/** A process that could not confirm for so long which secret is active seals nothing. Other processes count it as live for longer. */
const CONFIRMED_FOR_MS = 15_000;

// Next.js bundles route files and instrumentation apart from each other: they meet in the process's own global.
const ACTIVE = Symbol.for("kutip.active-key");
const shared = globalThis as { [ACTIVE]?: ActiveKey | undefined };

const keys = new Map<string, Key>();

function keyOf(secret: string): Key {
  const known = keys.get(secret);
  if (known) return known;
  // Objects, since Node would make one of bytes at each use.
  const derived = new Map<Purpose, KeyObject>();
  const derive = (purpose: Purpose): KeyObject => {
    let object = derived.get(purpose);
    if (!object) {
      object = createSecretKey(Buffer.from(hkdfSync("sha256", secret, "kutip", purpose, 32)));
      derived.set(purpose, object);
    }
    return object;
  };
  const id = derive("key_id").export().subarray(0, KEY_ID_BYTES).toString("base64url");
  const key = { id, secret, derive };
  keys.set(secret, key);
  return key;
}

/** The secrets that this process knows: KUTIP_SECRET, then KUTIP_SECRET_PREVIOUS where that is another one. */
export function knownKeys(): [Key, ...Key[]] {
  if (!env.KUTIP_SECRET) throw new Error("KUTIP_SECRET is not set");
  const present = keyOf(env.KUTIP_SECRET);
  const previous = env.KUTIP_SECRET_PREVIOUS ? keyOf(env.KUTIP_SECRET_PREVIOUS) : present;
  return previous.id === present.id ? [present] : [present, previous];
}

/** The secret that seals and signs. Throws while that is not certain, as a database that is away does. */
export function activeKey(): Key {
  const known = knownKeys();
  const active = shared[ACTIVE];
  const key = known.length === 1 ? known[0] : known.find(({ id }) => id === active?.id);
  const silentMs = performance.now() - (active?.confirmedAt ?? performance.now());
  if (key && silentMs <= CONFIRMED_FOR_MS) return key;
  throw Object.assign(new Error("it is not certain which secret is active"), { code: "57P03" });
}

/** Seals and signs with this secret from now on; without an argument with the only one that is known. */
export function setActiveKey(active?: ActiveKey): void {
  shared[ACTIVE] = active;
}

/** The secret of better-auth's values that name none, which are older than the first rotation. */
export function unnamedKey(): Key {
  const from = shared[ACTIVE]?.rotatingFrom;
  return knownKeys().find(({ id }) => id === from) ?? activeKey();
}

/** Proves to a database which secret is meant, and tells nothing about it. */
export const checkOf = (key: Key): string => hmac(key, "kutip", "check");

/** better-auth's own secret, and the number by which its encrypted values name it. */
export const authSecretOf = (key: Key): { version: number; value: string } => ({
  version: key.derive("key_id").export().readUIntBE(0, KEY_ID_BYTES),
  value: hmac(key, "better-auth", "auth"),
});

const hmac = (key: Key, text: string, purpose: Purpose): string =>
  createHmac("sha256", key.derive(purpose)).update(text).digest("base64url");

/** Encrypts for storage: AES-256-GCM under a key derived from the active secret. The answer is text, `<key id>.<base64url>`. */
export function seal(text: string, purpose: Purpose): string {
  const key = activeKey();
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key.derive(purpose), iv);
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return `${key.id}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url")}`;
}

/** Opens what `seal` made; throws when it was altered or names a secret that is not known here. */
export function unseal(sealed: string, purpose: Purpose): string {
  const end = sealed.indexOf(".");
  const known = knownKeys();
  if (end < 0) return unsealUnnamed(sealed, purpose, known);
  const id = sealed.slice(0, end);
  const key = known.find((one) => one.id === id);
  if (!key) throw new Error(`it was sealed with the secret ${id}, which is not known here`);
  return open(key, sealed.slice(end + 1), purpose);
}

/** Values from before 1.0.0-rc.1 name no secret. */
function unsealUnnamed(sealed: string, purpose: Purpose, [first, ...others]: [Key, ...Key[]]) {
  for (const key of others) {
    try {
      return open(first, sealed, purpose);
    } catch {
      return open(key, sealed, purpose);
    }
  }
  return open(first, sealed, purpose);
}

function open(key: Key, body: string, purpose: Purpose): string {
  const bytes = Buffer.from(body, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key.derive(purpose), bytes.subarray(0, 12), {
    authTagLength: 16,
  });
  decipher.setAuthTag(bytes.subarray(12, 28));
  return decipher.update(bytes.subarray(28), undefined, "utf8") + decipher.final("utf8");
}

/** SHA-256 in hex, for looking up a secret of full entropy without keeping it. */
export function digest(secret: string): string {
  return hash("sha256", secret);
}

/** Whether two secrets are the same, in a time that says nothing about either. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", expected, "buffer"));

/** HMAC-SHA256 under a key derived from the active secret, base64url: for what we hand out and want back unaltered. */
export function signature(text: string, purpose: Purpose): string {
  return hmac(activeKey(), text, purpose);
}

/** Whether `given` is the signature of the text, or its first `length` characters, by one of the secrets that this process knows. */
export function isSignature(
  given: string,
  text: string,
  purpose: Purpose,
  length?: number,
): boolean {
  const bytes = Buffer.from(given);
  return knownKeys().some((key) => {
    const right = Buffer.from(hmac(key, text, purpose).slice(0, length));
    return bytes.length === right.length && timingSafeEqual(bytes, right);
  });
}
