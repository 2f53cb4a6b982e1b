import { db, type Executor } from "@/db/client";
import type { Mode } from "@/lib/contract/values";
import { newApiKey, newId } from "@/lib/kernel/ids";
import { digest } from "@/lib/kernel/secrets";
import { type ApiKeyRow, insertKey } from "./rows";

/** Makes a key for a business and mode. `secret` is the key itself: shown once, never kept. `expiresAt` ISO UTC or null. */
export async function createKey(
  owner: { businessId: number; mode: Mode },
  name: string,
  options: { createdBy?: string; expiresAt?: string | null; on?: Executor } = {},
): Promise<{ row: ApiKeyRow; secret: string }> {
  const secret = newApiKey(owner.mode);
  const row = await insertKey(options.on ?? db, {
    businessId: owner.businessId,
    mode: owner.mode,
    id: newId(),
    digest: digest(secret),
    name,
    lastFour: secret.slice(-4),
    createdBy: options.createdBy ?? null,
    expiresAt: options.expiresAt ?? null,
  });
  return { row, secret };
}
