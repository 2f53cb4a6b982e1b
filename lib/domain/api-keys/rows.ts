import { and, desc, eq, gt, isNull, not, or, type SQL, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import type { Mode } from "@/lib/contract/values";
import { businessesOf, directory, enter, entryOf } from "@/db/directory";
import { isDistributed } from "@/db/distributed";
import { createdFilters, filtered, type Filters } from "@/db/filters";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { type Key, touch } from "@/db/touch";
import { users } from "@/db/schema/auth";
import { apiKeys } from "@/db/schema/businesses";
import type { ApiKeyQuery } from "@/lib/contract/api-keys";
import type { Ctx } from "../context";

export type ApiKeyRow = typeof apiKeys.$inferSelect;

const valid = and(
  or(isNull(apiKeys.revokedAt), sql`${apiKeys.revokedAt} > now()`),
  or(isNull(apiKeys.expiresAt), sql`${apiKeys.expiresAt} > now()`),
);
const found = { businessId: apiKeys.businessId, mode: apiKeys.mode, id: apiKeys.id };
const byDigest = db
  .select(found)
  .from(directory)
  .innerJoin(apiKeys, entryOf("api_key", apiKeys, apiKeys.digest))
  .where(and(eq(directory.key, sql.placeholder("digest")), valid))
  .prepare("api_key_by_digest");
const ofBusiness = db
  .select(found)
  .from(apiKeys)
  .where(
    and(
      eq(apiKeys.businessId, sql.placeholder("businessId")),
      eq(apiKeys.digest, sql.placeholder("digest")),
      valid,
    ),
  )
  .prepare("api_key_of_business");

export type ValidKey = { businessId: number; mode: Mode; id: string };

/** For authentication: the key that is valid now, by its digest. */
export async function unscopedFindKey(digest: string): Promise<ValidKey | undefined> {
  if (!(await isDistributed())) return (await byDigest.execute({ digest }))[0];
  const businessId = (await businessesOf("api_key", [digest])).get(digest);
  return businessId === undefined
    ? undefined
    : (await ofBusiness.execute({ businessId, digest }))[0];
}

/** For the batch writer: notes that keys were used just now. Returns those that were locked. */
export const unscopedTouchKeys = (list: readonly Key[]): Promise<Key[]> =>
  touch(apiKeys, apiKeys.lastUsedAt, list);

export async function insertKey(
  on: Executor,
  row: typeof apiKeys.$inferInsert,
): Promise<ApiKeyRow> {
  const [made] = await on
    .with(enter(on, "api_key", row, row.digest))
    .insert(apiKeys)
    .values(row)
    .returning();
  if (!made) throw new Error("the key was not written");
  return made;
}

/** All keys of a business, both modes, newest first. */
export async function listKeys(businessId: number): Promise<ApiKeyRow[]> {
  return db
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.businessId, businessId))
    .orderBy(desc(apiKeys.createdAt));
}

/** Ends a key at once; undefined without a working key. */
export async function endKey(
  businessId: number,
  id: string,
  on: Executor = db,
): Promise<ApiKeyRow | undefined> {
  const [row] = await on
    .update(apiKeys)
    .set({ revokedAt: sql`now()`, updatedAt: sql`now()` })
    .where(
      and(
        eq(apiKeys.businessId, businessId),
        eq(apiKeys.id, id),
        or(isNull(apiKeys.revokedAt), sql`${apiKeys.revokedAt} > now()`),
      ),
    )
    .returning();
  return row;
}

const madeBy = (businessId: number, userId: string) =>
  and(eq(apiKeys.businessId, businessId), eq(apiKeys.createdBy, userId), working);

/** The keys of both modes that a member made and that still work, newest first. */
export async function listKeysMadeBy(businessId: number, userId: string): Promise<ListedKey[]> {
  const rows = await db
    .select({ key: apiKeys, creator: users.name })
    .from(apiKeys)
    .leftJoin(users, creator)
    .where(madeBy(businessId, userId))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id));
  return rows.map((row) => ({ ...row.key, creator: row.creator }));
}

/** Ends at once all working keys that a member made. Returns their ids. */
export async function endKeysMadeBy(tx: Tx, businessId: number, userId: string): Promise<string[]> {
  const rows = await tx
    .update(apiKeys)
    .set({ revokedAt: sql`now()`, updatedAt: sql`now()` })
    .where(madeBy(businessId, userId))
    .returning({ id: apiKeys.id });
  return rows.map(({ id }) => id);
}

export type ListedKey = ApiKeyRow & { creator: string | null };

const working = and(
  or(isNull(apiKeys.revokedAt), gt(apiKeys.revokedAt, sql`now()`)),
  or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, sql`now()`)),
) as SQL;

const filters: Filters<ApiKeyQuery> = {
  status: (status) => (status === "active" ? working : not(working)),
  ...createdFilters(apiKeys.createdAt),
};

const conditions = (ctx: Ctx, query: ApiKeyQuery) =>
  owned(ctx, apiKeys, ...filtered(filters, query));

const creator = eq(sql`${users.id}::text`, apiKeys.createdBy);

/** A page of the keys of this business and mode. */
export async function listKeyPage(ctx: Ctx, query: ApiKeyQuery, walk: Walk): Promise<ListedKey[]> {
  const { where, orderBy, limit, offset } = keyset(apiKeys, walk);
  const rows = await db
    .select({ key: apiKeys, creator: users.name })
    .from(apiKeys)
    .leftJoin(users, creator)
    .where(and(conditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return rows.map((row) => ({ ...row.key, creator: row.creator }));
}

export async function countKeys(ctx: Ctx, query: ApiKeyQuery): Promise<number> {
  return db.$count(apiKeys, conditions(ctx, query));
}

/** A key as lists show it. */
export async function showKey(ctx: Ctx, on: Executor, id: string): Promise<ListedKey | undefined> {
  const [row] = await on
    .select({ key: apiKeys, creator: users.name })
    .from(apiKeys)
    .leftJoin(users, creator)
    .where(owned(ctx, apiKeys, eq(apiKeys.id, id)));
  return row && { ...row.key, creator: row.creator };
}

/** A key of this mode under its row lock, and whether it still works and was not rolled. */
export async function lockKey(
  ctx: Ctx,
  tx: Tx,
  id: string,
): Promise<{ key: ApiKeyRow; works: boolean; fresh: boolean } | undefined> {
  const [row] = await tx
    .select({
      key: apiKeys,
      works: sql<boolean>`${working}`,
      fresh: sql<boolean>`${apiKeys.revokedAt} is null`,
    })
    .from(apiKeys)
    .where(owned(ctx, apiKeys, eq(apiKeys.id, id)))
    .for("update");
  return row;
}

/** From when on a locked key is refused: now, or after an overlap in hours. */
export async function endLockedKey(ctx: Ctx, tx: Tx, id: string, hours: number): Promise<void> {
  await tx
    .update(apiKeys)
    .set({ revokedAt: sql`now() + make_interval(hours => ${hours})`, updatedAt: sql`now()` })
    .where(owned(ctx, apiKeys, eq(apiKeys.id, id)));
}
