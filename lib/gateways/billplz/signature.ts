import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Billplz's X Signature: HMAC-SHA256 over every field but the signature, each as its name and value, sorted without regard to case and joined by a pipe.
 * The names of a redirect lose their brackets.
 */
export function xSignature(fields: ReadonlyMap<string, string>, key: string): Buffer {
  const elements = [...fields]
    .map(([name, value]) => [name.replaceAll(/[[\]]/g, ""), value] as const)
    .filter(([name]) => !name.endsWith("x_signature"))
    .map(([name, value]) => `${name}${value}`)
    // In lower case: an underscore sorts before a letter.
    .sort((one, other) => compare(one.toLowerCase(), other.toLowerCase()));
  return createHmac("sha256", key).update(elements.join("|")).digest();
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Whether the fields have the signature that the key makes. */
export function isSigned(fields: ReadonlyMap<string, string>, key: string): boolean {
  const given = fields.get("x_signature") ?? "";
  const right = xSignature(fields, key);
  const bytes = Buffer.from(given, "hex");
  return given.length === right.length * 2 && bytes.length === right.length
    ? timingSafeEqual(bytes, right)
    : false;
}
