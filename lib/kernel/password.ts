import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const argon = promisify(argon2);
const cost = { memory: 19_456, passes: 2, parallelism: 1 };

const encoded = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64").replace(/=+$/, "");

/** A password as it is kept: argon2id (19 MiB, 2 passes) in the usual notation. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await argon("argon2id", {
    message: password.normalize("NFKC"),
    nonce,
    tagLength: 32,
    ...cost,
  });
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encoded(nonce)}$${encoded(tag)}`;
}

/** Whether a password is the one that was kept; false also for a hash that cannot be read. */
export async function isPassword(hash: string, password: string): Promise<boolean> {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash);
  const [, memory, passes, parallelism, nonce, tag] = parts ?? [];
  if (!nonce || !tag) return false;
  const kept = Buffer.from(tag, "base64");
  const found = await argon("argon2id", {
    message: password.normalize("NFKC"),
    nonce: Buffer.from(nonce, "base64"),
    tagLength: kept.length,
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  });
  return timingSafeEqual(found, kept);
}

/** A random password: 20 letters and digits without look-alikes, in groups. */
export function newPassword(): string {
  const letters = "abcdefghjkmnpqrstuvwxyz23456789";
  const picked = Array.from(randomBytes(40))
    .filter((byte) => byte < letters.length * 8)
    .slice(0, 20);
  return picked.length < 20
    ? newPassword()
    : picked
        .map(
          (byte, index) =>
            `${index > 0 && index % 5 === 0 ? "-" : ""}${letters[byte % letters.length]}`,
        )
        .join("");
}
