import type { ApiKey } from "@/lib/contract/api-keys";
import type { ListedKey } from "./rows";

/** A key as the API answers it, without the key itself. */
export function presentKey(row: ListedKey): ApiKey {
  return {
    _id: row.id,
    name: row.name,
    mode: row.mode,
    last_four: row.lastFour,
    created_by: row.creator,
    last_used_at: row.lastUsedAt,
    expires_at: row.expiresAt,
    revoked_at: row.revokedAt,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}
