import { and, desc, eq, inArray, isNull, or, sql } from "drizzle-orm";
import { db, type Executor } from "@/db/client";
import type { Mode } from "@/db/columns";
import { apiKeys, gatewayConnections } from "@/db/schema/businesses";

export type ApiKeyRow = typeof apiKeys.$inferSelect;

const byDigest = db
  .select({ businessId: apiKeys.businessId, mode: apiKeys.mode, id: apiKeys.id })
  .from(apiKeys)
  .where(
    and(
      eq(apiKeys.digest, sql.placeholder("digest")),
      or(isNull(apiKeys.revokedAt), sql`${apiKeys.revokedAt} > now()`),
      or(isNull(apiKeys.expiresAt), sql`${apiKeys.expiresAt} > now()`),
    ),
  )
  .prepare("api_key_by_digest");

export type ValidKey = { businessId: number; mode: Mode; id: string };

/** For authentication: the key that is valid now, by its digest. */
export async function unscopedFindKey(digest: string): Promise<ValidKey | undefined> {
  const [row] = await byDigest.execute({ digest });
  return row;
}

/** For the batch writer: notes that keys were used just now. */
export async function unscopedTouchKeys(ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.update(apiKeys).set({ lastUsedAt: sql`now()` }).where(inArray(apiKeys.id, [...ids]));
}

export async function insertKey(on: Executor, row: typeof apiKeys.$inferInsert): Promise<ApiKeyRow> {
  const [made] = await on.insert(apiKeys).values(row).returning();
  if (!made) throw new Error("the key was not written");
  return made;
}

/** All keys of a business, both modes, newest first. */
export async function listKeys(businessId: number): Promise<ApiKeyRow[]> {
  return db.select().from(apiKeys).where(eq(apiKeys.businessId, businessId)).orderBy(desc(apiKeys.createdAt));
}

/** Ends a key at once; undefined when there is none that still works. */
export async function endKey(businessId: number, id: string): Promise<ApiKeyRow | undefined> {
  const [row] = await db
    .update(apiKeys)
    .set({ revokedAt: sql`now()`, updatedAt: sql`now()` })
    .where(and(eq(apiKeys.businessId, businessId), eq(apiKeys.id, id), or(isNull(apiKeys.revokedAt), sql`${apiKeys.revokedAt} > now()`)))
    .returning();
  return row;
}

/** Whether a business has a gateway for a mode. */
export async function hasGateway(businessId: number, mode: Mode): Promise<boolean> {
  const rows = await db
    .select({ id: gatewayConnections.id })
    .from(gatewayConnections)
    .where(and(eq(gatewayConnections.businessId, businessId), eq(gatewayConnections.mode, mode), eq(gatewayConnections.enabled, true)))
    .limit(1);
  return rows.length > 0;
}
