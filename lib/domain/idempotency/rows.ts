import { and, eq, sql } from "drizzle-orm";
import { db, type Executor } from "@/db/client";
import { owned } from "@/db/owned";
import { idempotencyKeys as keys } from "@/db/schema/events";
import { newId } from "@/lib/kernel/ids";
import type { Ctx } from "../context";

/** How long a key stays claimed without a word from its run, which extends the claim while it lives. */
const lease = sql`now() + interval '15 seconds'`;

export type KeyRow = typeof keys.$inferSelect & { running: boolean };

/** Claims a key; false when it exists. */
export async function insertKey(
  ctx: Ctx,
  scope: string,
  bodyDigest: string,
  claim: string,
): Promise<boolean> {
  const rows = await db
    .insert(keys)
    .values({
      businessId: ctx.businessId,
      mode: ctx.mode,
      scope,
      bodyDigest,
      claim,
      lockedUntil: lease,
    })
    .onConflictDoNothing()
    .returning({ scope: keys.scope });
  return rows.length === 1;
}

export async function findKey(
  ctx: Ctx,
  scope: string,
  on: Executor = db,
): Promise<KeyRow | undefined> {
  const [row] = await on
    .select({ key: keys, running: sql<boolean>`${keys.lockedUntil} > now()` })
    .from(keys)
    .where(owned(ctx, keys, eq(keys.scope, scope)));
  return row && { ...row.key, running: row.running };
}

/** Extends the claim of a run that lives; does nothing once it is over or another run has the key. */
export async function extendKey(ctx: Ctx, scope: string, claim: string): Promise<void> {
  await db
    .update(keys)
    .set({ lockedUntil: lease })
    .where(
      owned(
        ctx,
        keys,
        eq(keys.scope, scope),
        eq(keys.claim, claim),
        sql`${keys.answer} is null and ${keys.lockedUntil} > now()`,
      ),
    );
}

/** Takes over the key of a dead run; undefined when another request was faster. */
export async function takeOverKey(
  ctx: Ctx,
  scope: string,
  from: string,
  claim: string,
): Promise<{ begun: string | null } | undefined> {
  const [row] = await db
    .update(keys)
    .set({ claim, lockedUntil: lease })
    .where(
      owned(
        ctx,
        keys,
        eq(keys.scope, scope),
        eq(keys.claim, from),
        sql`${keys.answer} is null and ${keys.lockedUntil} <= now()`,
      ),
    )
    .returning({ begun: keys.begun });
  return row;
}

/** Keeps the answer; false when the key was taken over meanwhile. */
export async function keepAnswer(
  ctx: Ctx,
  on: Executor,
  scope: string,
  claim: string,
  answer: string,
): Promise<boolean> {
  const rows = await on
    .update(keys)
    .set({ answer, status: 200 })
    .where(owned(ctx, keys, eq(keys.scope, scope), eq(keys.claim, claim)))
    .returning({ scope: keys.scope });
  return rows.length === 1;
}

/** Records the payment, refund or advance that was started, so that a run after a crash continues it; false when the key was taken over meanwhile. */
export async function noteBegun(
  ctx: Ctx,
  on: Executor,
  scope: string,
  claim: string,
  begun: string,
): Promise<boolean> {
  const rows = await on
    .update(keys)
    .set({ begun })
    .where(owned(ctx, keys, eq(keys.scope, scope), eq(keys.claim, claim)))
    .returning({ scope: keys.scope });
  return rows.length === 1;
}

/** In place of a body's digest: no request has it, so whatever arrives under the key is refused. */
export const usedUp = "used up";

/** Uses up a key that no request claimed, or that a run left before it started anything. A stalled run can then no longer commit. */
export async function useUpKey(ctx: Ctx, on: Executor, scope: string): Promise<void> {
  const values = { claim: newId(), bodyDigest: usedUp, lockedUntil: sql`now()` as never };
  await on
    .insert(keys)
    .values({ ...values, businessId: ctx.businessId, mode: ctx.mode, scope })
    .onConflictDoUpdate({
      target: [keys.businessId, keys.mode, keys.scope],
      set: { ...values, lockedUntil: sql`excluded.locked_until` as never },
      setWhere: sql`${keys.answer} is null and ${keys.begun} is null and ${keys.lockedUntil} <= excluded.locked_until`,
    });
}

/** Gives a key back after a failure that leaves nothing behind; only 200s are kept. */
export async function releaseKey(ctx: Ctx, scope: string, claim: string): Promise<void> {
  await db
    .delete(keys)
    .where(
      owned(
        ctx,
        keys,
        and(
          eq(keys.scope, scope),
          eq(keys.claim, claim),
          sql`${keys.answer} is null and ${keys.begun} is null`,
        ),
      ),
    );
}

/** Makes a key with a started payment claimable at once, so that the next try continues it. */
export async function unlockKey(ctx: Ctx, scope: string, claim: string): Promise<void> {
  await db
    .update(keys)
    .set({ lockedUntil: sql`now()` })
    .where(
      owned(
        ctx,
        keys,
        and(eq(keys.scope, scope), eq(keys.claim, claim), sql`${keys.answer} is null`),
      ),
    );
}

/** Removes keys older than 72 hours, some at a time. Returns how many. */
export async function unscopedPurgeKeys(limit = 10_000): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from ${keys} where (business_id, mode, scope) in (
      select business_id, mode, scope from ${keys} where ${keys.createdAt} < now() - interval '72 hours' order by created_at limit ${limit})`);
  return rowCount ?? 0;
}
