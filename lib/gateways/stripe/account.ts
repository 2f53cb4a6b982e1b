import type { Mode } from "@/lib/contract/values";
import type { CheckedKey, Connection } from "../gateway";
import { call } from "./client";
import { Account } from "./shapes";

/** A key names its mode: sk_test_…, rk_live_…. */
export function validateKey(secret: string, mode: Mode): string | null {
  if (!/^(sk|rk)_(test|live)_[A-Za-z0-9_]{8,}$/.test(secret))
    return "The secret key format is invalid.";
  return secret.slice(3).startsWith(`${mode}_`)
    ? null
    : `The secret key must be one of ${mode} mode: sk_${mode}_… or rk_${mode}_….`;
}

/** Asks Stripe which account a key belongs to. */
export async function checkKey(connection: Pick<Connection, "id" | "secret">): Promise<CheckedKey> {
  const result = await call(connection, "checking a key with Stripe", Account, (stripe) =>
    stripe.accounts.retrieveCurrent(),
  );
  if (result.ok)
    return {
      kind: "accepted",
      account: result.value.id,
      name: result.value.settings?.dashboard?.display_name || null,
    };
  const { kind, failure } = result.trouble;
  if (kind === "silent") return { kind: "unknown", reason: result.trouble.reason };
  if (failure?.statusCode === 403)
    return {
      kind: "refused",
      reason:
        "Stripe does not let this key read its own account: give the restricted key that permission too.",
    };
  return { kind: "refused", reason: "Stripe does not accept this key." };
}
