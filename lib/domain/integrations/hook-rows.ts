import { and, asc, desc, eq, inArray, isNull, or, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { owned } from "@/db/owned";
import { integrationHooks as hooks } from "@/db/schema/integrations";
import { newId } from "@/lib/kernel/ids";
import type { Ctx } from "../context";

export type HookRow = typeof hooks.$inferSelect;

const existing = isNull(hooks.deletedAt);
const of = (ctx: Ctx, integrationId: string) =>
  owned(ctx, hooks, eq(hooks.integrationId, integrationId));

/** The hooks of integrations, the oldest first. */
export async function listHooks(
  ctx: Ctx,
  integrationIds: readonly string[],
  on: Executor = db,
): Promise<HookRow[]> {
  if (integrationIds.length === 0) return [];
  return on
    .select()
    .from(hooks)
    .where(owned(ctx, hooks, inArray(hooks.integrationId, [...integrationIds]), existing))
    .orderBy(asc(hooks.createdAt), asc(hooks.id));
}

/** For how long a deleted hook counts as one that its plugin may be making again. */
const REMAKE_MINUTES = 10;

/** The hooks that want the callback of a payment: those that exist, and those that their plugin may be making again. */
export async function listWantedHooks(
  ctx: Ctx,
  integrationId: string,
  on: Executor,
): Promise<Pick<HookRow, "id">[]> {
  const recent = sql`${hooks.deletedAt} > now() - make_interval(mins => ${REMAKE_MINUTES})`;
  return on
    .select({ id: hooks.id })
    .from(hooks)
    .where(and(of(ctx, integrationId), eq(hooks.enabled, true), or(existing, recent)));
}

/** A hook of an integration. */
export async function findHook(
  ctx: Ctx,
  on: Executor,
  integrationId: string,
  id: string,
): Promise<HookRow | undefined> {
  const [row] = await on
    .select()
    .from(hooks)
    .where(and(of(ctx, integrationId), eq(hooks.id, id), existing));
  return row;
}

/** The newest deleted hook with this address. Plugins delete their hook and make it again at each "Set webhook". */
export async function findDeletedHook(
  ctx: Ctx,
  tx: Tx,
  integrationId: string,
  url: string,
): Promise<HookRow | undefined> {
  const [row] = await tx
    .select()
    .from(hooks)
    .where(and(of(ctx, integrationId), eq(hooks.url, url), sql`${hooks.deletedAt} is not null`))
    .orderBy(desc(hooks.deletedAt))
    .limit(1);
  return row;
}

export async function insertHook(
  ctx: Ctx,
  tx: Tx,
  values: Pick<HookRow, "integrationId" | "url" | "enabled">,
): Promise<HookRow> {
  const [row] = await tx
    .insert(hooks)
    .values({ ...values, businessId: ctx.businessId, mode: ctx.mode, id: newId() })
    .returning();
  if (!row) throw new Error("the hook was not written");
  return row;
}

export async function changeHook(
  ctx: Ctx,
  tx: Tx,
  id: string,
  change: Partial<Pick<HookRow, "url" | "enabled">> & { deleted?: boolean },
): Promise<HookRow> {
  const { deleted, ...values } = change;
  const [row] = await tx
    .update(hooks)
    .set({
      ...values,
      ...(deleted === undefined ? {} : { deletedAt: (deleted ? sql`now()` : null) as never }),
      updatedAt: sql`now()`,
    })
    .where(owned(ctx, hooks, eq(hooks.id, id)))
    .returning();
  if (!row) throw new Error("a hook of a locked integration is gone");
  return row;
}
