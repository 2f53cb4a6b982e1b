import { mintBusinessId } from "@/lib/domain/context";
import { auditLockedSignIn } from "@/lib/domain/integrations/sign-in";
import {
  type FoundIntegration,
  unscopedFindIntegration,
  unscopedTouchIntegrations,
} from "@/lib/domain/integrations/rows";
import { integrationOf } from "@/lib/kernel/ids";
import { addressKey } from "@/lib/kernel/ip";
import { consume, peek, reset, take, tooManyRequests } from "@/lib/domain/limits/limits";
import { invalid, Problem } from "@/lib/kernel/problem";
import { digest, isSameSecret } from "@/lib/kernel/secrets";
import type { Caller } from "../authenticate";
import { batch } from "../batch";

/** A shop plugin, by the credential that it showed. */
export type PluginCaller = Caller & {
  integration: Pick<FoundIntegration, "id" | "number" | "apiKeyDigest" | "savedKeyDigest">;
  credential: "api_key" | "token" | "password";
};

const unauthenticated = () =>
  new Problem(401, "unauthenticated", "Unauthenticated.", {
    headers: { "www-authenticate": "Bearer" },
  });

const lastSeen = batch("last call of shop plugins", unscopedTouchIntegrations);

function callerOf(
  found: FoundIntegration,
  credential: PluginCaller["credential"],
  request: Request,
  requestId: string,
): PluginCaller {
  lastSeen.note(found);
  return {
    ctx: {
      businessId: mintBusinessId(found.businessId),
      mode: found.mode,
      actor: { kind: "key", id: found.id },
      requestId,
      disconnected: () => request.signal,
    },
    kind: "key",
    role: null,
    limitBy: `integration:${found.id}`,
    recentProof: false,
    integration: found,
    credential,
  };
}

/** Who calls, proven by the token of a sign-in or by an API key of an integration. Their prefix says which. Throws 401. */
export async function authenticatePlugin(
  request: Request,
  requestId: string,
): Promise<PluginCaller> {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  const ofToken = integrationOf("token", bearer);
  if (ofToken !== undefined) {
    const found = await unscopedFindIntegration(ofToken, digest(bearer));
    if (!found?.signedIn) throw unauthenticated();
    return callerOf(found, "token", request, requestId);
  }
  const ofKey = integrationOf("api_key", bearer);
  const found = ofKey === undefined ? undefined : await unscopedFindIntegration(ofKey);
  if (!found || !isSameSecret(digest(bearer), found.apiKeyDigest)) throw unauthenticated();
  return callerOf(found, "api_key", request, requestId);
}

/** The refusal of a password that is no integration's. */
export const wrongPassword = () =>
  invalid({ email: ["These credentials do not match our records."] });
const LOCKED = "Too many sign-ins have failed. Try again in 15 minutes.";

/**
 * The integration of a sign-in, by its password alone: any e-mail address is accepted. Failures count against the caller's address, also
 * together with the integration and its present password. So they lock out neither another address nor a new password. Its keys and tokens
 * work on while a sign-in is locked. Throws 422 and 429.
 */
export async function provePassword(
  request: Request,
  requestId: string,
  password: string,
  address: string,
): Promise<PluginCaller> {
  const from = addressKey(address) ?? "unknown";
  // A count of its own, so that a plugin never locks staff out who share its address.
  await consume("sign_in", `plugin ${from}`);
  const id = integrationOf("password", password);
  const found = id === undefined ? undefined : await unscopedFindIntegration(id);
  if (!found) throw wrongPassword();
  const tries = `${found.id}:${found.passwordDigest}:${from}`;
  const allowance = await peek("integration", tries);
  if (!allowance.allowed) throw tooManyRequests(allowance, LOCKED);
  if (!isSameSecret(digest(password), found.passwordDigest)) {
    const { remaining } = await take("integration", tries);
    if (remaining === 0) auditLockedSignIn(found, address, requestId);
    throw wrongPassword();
  }
  await reset("integration", tries);
  return callerOf(found, "password", request, requestId);
}
