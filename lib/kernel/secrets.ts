import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
} from "node:crypto";
import { env } from "@/lib/env";

/** What a derived key is for; one purpose can never open what was sealed for another. */
export type Purpose =
  | "tokenization"
  | "activation_return"
  | "signing_secret"
  | "gateway"
  | "idempotency"
  | "cursor"
  | "webhook"
  | "check"
  | "mail"
  | "auth"
  | "invitation"
  | "known_browser"
  | "audit";

const keys = new Map<Purpose, Buffer>();

function keyFor(purpose: Purpose): Buffer {
  let key = keys.get(purpose);
  if (!key) {
    if (!env.KUTIP_SECRET) throw new Error("KUTIP_SECRET is not set");
    key = Buffer.from(hkdfSync("sha256", env.KUTIP_SECRET, "kutip", purpose, 32));
    keys.set(purpose, key);
  }
  return key;
}

/** Encrypts for storage: AES-256-GCM under a key derived from KUTIP_SECRET. The answer is base64url text. */
export function seal(text: string, purpose: Purpose): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyFor(purpose), iv);
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url");
}

/** Opens what `seal` made; throws when it was altered or sealed under another secret. */
export function unseal(sealed: string, purpose: Purpose): string {
  const bytes = Buffer.from(sealed, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", keyFor(purpose), bytes.subarray(0, 12), {
    authTagLength: 16,
  });
  decipher.setAuthTag(bytes.subarray(12, 28));
  return decipher.update(bytes.subarray(28), undefined, "utf8") + decipher.final("utf8");
}

/** SHA-256 in hex, for looking up a secret of full entropy without keeping it. */
export function digest(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** HMAC-SHA256 under a derived key, base64url: for what we hand out and want back unaltered. */
export function signature(text: string, purpose: Purpose): string {
  return createHmac("sha256", keyFor(purpose)).update(text).digest("base64url");
}
