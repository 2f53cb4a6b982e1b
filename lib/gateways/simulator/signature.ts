import { createHmac, timingSafeEqual } from "node:crypto";

export const signatureHeader = "x-simulator-signature";
const toleranceSeconds = 300;

function mac(secret: string, seconds: number, raw: Uint8Array): Buffer {
  return createHmac("sha256", secret).update(`${seconds}.`).update(raw).digest();
}

/** The header's value for a body sent at `now` (milliseconds): `t=<unix seconds>,v1=<HMAC-SHA256 in hex>`. */
export function sign(secret: string, raw: Uint8Array, now: number): string {
  const seconds = Math.floor(now / 1000);
  return `t=${seconds},v1=${mac(secret, seconds, raw).toString("hex")}`;
}

/** Whether the header was made by `sign` with this secret over these bytes, within five minutes of `now` (milliseconds). */
export function verify(
  secret: string,
  raw: Uint8Array,
  header: string | null,
  now: number,
): boolean {
  const parts = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header ?? "");
  if (!parts?.[1] || !parts[2]) return false;
  const seconds = Number(parts[1]);
  if (Math.abs(now / 1000 - seconds) > toleranceSeconds) return false;
  return timingSafeEqual(mac(secret, seconds, raw), Buffer.from(parts[2], "hex"));
}
