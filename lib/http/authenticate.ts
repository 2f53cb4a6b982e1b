import type { Role } from "@/lib/contract/endpoint";
import { unscopedFindKey, unscopedTouchKeys, type ValidKey } from "@/lib/domain/api-keys/rows";
import { type Ctx, mintBusinessId } from "@/lib/domain/context";
import { looksLikeApiKey } from "@/lib/kernel/ids";
import { Problem } from "@/lib/kernel/problem";
import { digest } from "@/lib/kernel/secrets";
import { batch } from "./batch";

export type Caller = { ctx: Ctx; kind: "key" | "staff"; role: Role | null; limitBy: string };

const unauthenticated = () => new Problem(401, "unauthenticated", "Unauthenticated.", { headers: { "www-authenticate": "Bearer" } });

const lastUsed = batch("last use of keys", unscopedTouchKeys);

// A revoked key must be refused everywhere within a second: a hit may be this old at most.
const freshMs = 500;
const maxCached = 10_000;
const recent = new Map<string, { key: ValidKey; at: number }>();

async function findKey(bearer: string): Promise<ValidKey | undefined> {
  const hash = digest(bearer);
  const hit = recent.get(hash);
  const now = performance.now();
  if (hit && now - hit.at < freshMs) return hit.key;
  const key = await unscopedFindKey(hash);
  if (recent.size >= maxCached) recent.clear();
  if (key) recent.set(hash, { key, at: now });
  else recent.delete(hash);
  return key;
}

/** Who calls, proven by an API key. Throws 401. */
export async function authenticate(request: Request, requestId: string): Promise<Caller> {
  const header = request.headers.get("authorization");
  const bearer = header && /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (!bearer || !looksLikeApiKey(bearer)) throw unauthenticated();
  const key = await findKey(bearer);
  if (!key) throw unauthenticated();
  lastUsed.note(key.id);
  return {
    ctx: { businessId: mintBusinessId(key.businessId), mode: key.mode, actor: { kind: "key", id: key.id }, requestId },
    kind: "key", role: null, limitBy: key.id,
  };
}
