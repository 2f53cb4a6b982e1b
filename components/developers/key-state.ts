import type { ApiKey } from "@/lib/contract/api-keys";

export type KeyState = "active" | "ending" | "expired" | "revoked";

/** The state of a key at a moment (milliseconds): an `ending` key was rolled and still works for a while. */
export function keyState(
  { revoked_at: revoked, expires_at: expires }: Pick<ApiKey, "revoked_at" | "expires_at">,
  now: number,
): KeyState {
  if (revoked !== null && Date.parse(revoked) <= now) return "revoked";
  if (expires !== null && Date.parse(expires) <= now) return "expired";
  return revoked === null ? "active" : "ending";
}

/** The part of a key that may always be shown. */
export const keyHint = ({ mode, last_four }: Pick<ApiKey, "mode" | "last_four">): string =>
  `sk_${mode}_…${last_four}`;
