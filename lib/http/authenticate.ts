import type { Role } from "@/lib/contract/values";
import { unscopedFindKey, unscopedTouchKeys, type ValidKey } from "@/lib/domain/api-keys/rows";
import { type Ctx, mintBusinessId } from "@/lib/domain/context";
import { unscopedFindStaff } from "@/lib/domain/users/rows";
import { looksLikeApiKey } from "@/lib/kernel/ids";
import { malformed, Problem, unverified } from "@/lib/kernel/problem";
import { digest } from "@/lib/kernel/secrets";
import { batch } from "./batch";
import { assertSameOrigin } from "./same-origin";
import { sessionDigest } from "./session-cookie";

export type Caller = {
  ctx: Ctx;
  kind: "key" | "staff";
  role: Role | null;
  limitBy: string;
  /** Of staff: signed in, or proven again, within the last minutes. */
  recentProof: boolean;
};

const unauthenticated = () =>
  new Problem(401, "unauthenticated", "Unauthenticated.", {
    headers: { "www-authenticate": "Bearer" },
  });

const lastUsed = batch("last use of keys", unscopedTouchKeys);

// A revoked key must be refused everywhere within a second: a hit may be this old at most.
const freshMs = 500;
const maxCached = 10_000;
const recent = new Map<string, { key: ValidKey; at: number }>();

function recentKey(hash: string): ValidKey | undefined {
  const hit = recent.get(hash);
  return hit && performance.now() - hit.at < freshMs ? hit.key : undefined;
}

async function findKey(hash: string): Promise<ValidKey | undefined> {
  const at = performance.now();
  const key = await unscopedFindKey(hash);
  if (recent.size >= maxCached) recent.clear();
  if (key) recent.set(hash, { key, at });
  else recent.delete(hash);
  return key;
}

/** Who calls, proven by an API key, or by a session cookie where no Authorization header is. Throws 401, and for staff 400 and 403. */
export async function authenticate(request: Request, requestId: string): Promise<Caller> {
  const header = request.headers.get("authorization");
  // The signal is made when first asked for: few calls need it.
  const disconnected = () => request.signal;
  if (header === null) return staff(request, requestId, disconnected);
  const bearer = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (!bearer) throw unauthenticated();
  const hash = digest(bearer);
  const key = recentKey(hash) ?? (looksLikeApiKey(bearer) ? await findKey(hash) : undefined);
  if (!key) throw unauthenticated();
  lastUsed.note(key);
  return {
    ctx: {
      businessId: mintBusinessId(key.businessId),
      mode: key.mode,
      actor: { kind: "key", id: key.id },
      requestId,
      disconnected,
    },
    kind: "key",
    role: null,
    limitBy: key.id,
    recentProof: false,
  };
}

/** Signed-in staff name business and mode in headers, so that two tabs can differ. */
async function staff(
  request: Request,
  requestId: string,
  disconnected: () => AbortSignal,
): Promise<Caller> {
  const session = sessionDigest(request);
  if (session === undefined) throw unauthenticated();
  assertSameOrigin(request);
  const business = request.headers.get("x-kutip-business") ?? "";
  const mode = request.headers.get("x-kutip-mode") ?? "";
  const named = /^[1-9]\d{0,8}$/.test(business);
  const found = await unscopedFindStaff(session, named ? Number(business) : 0);
  if (!found) throw unauthenticated();
  if (!named || (mode !== "test" && mode !== "live"))
    throw malformed(
      "Name the business in X-Kutip-Business and the mode, test or live, in X-Kutip-Mode.",
    );
  if (!found.open) throw unverified();
  if (!found.role) throw new Problem(403, "forbidden", "You are not a member of this business.");
  return {
    ctx: {
      businessId: mintBusinessId(Number(business)),
      mode,
      actor: { kind: "person", id: found.userId },
      requestId,
      role: found.role,
      disconnected,
    },
    kind: "staff",
    role: found.role,
    limitBy: `person:${found.userId}`,
    recentProof: found.recentProof,
  };
}
