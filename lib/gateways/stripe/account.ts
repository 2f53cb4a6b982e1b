import type { Connection } from "../gateway";
import { call } from "./client";
import { Account } from "./shapes";

export type CheckedKey =
  | { kind: "accepted"; account: string; name: string | null }
  | { kind: "refused"; reason: string }
  | { kind: "unknown"; reason: string };

/** Asks Stripe whose key this is. */
export async function checkKey(connection: Pick<Connection, "id" | "secret">): Promise<CheckedKey> {
  const told = await call(connection, "checking a key with Stripe", Account, (stripe) =>
    stripe.accounts.retrieveCurrent(),
  );
  if (told.ok)
    return {
      kind: "accepted",
      account: told.value.id,
      name: told.value.settings?.dashboard?.display_name || null,
    };
  const { kind, failure } = told.trouble;
  if (kind === "silent") return { kind: "unknown", reason: told.trouble.reason };
  if (failure?.statusCode === 403)
    return {
      kind: "refused",
      reason:
        "Stripe does not let this key read its own account: give the restricted key that permission too.",
    };
  return { kind: "refused", reason: "Stripe does not accept this key." };
}
