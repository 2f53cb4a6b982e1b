import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { createdFilters, filtered, type Filters, is } from "@/db/filters";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import {
  type CallbackAttempt,
  integrationCallbacks as callbacks,
  integrationHooks as hooks,
  integrations,
} from "@/db/schema/integrations";
import type { IntegrationCallbackQuery } from "@/lib/contract/integrations";
import { type CallbackStatus, integrationLimits, type ShopPlugin } from "@/lib/contract/values";
import { assertHeld, type Due, type Row } from "@/lib/jobs/claim-rows";
import { derivedId } from "@/lib/kernel/ids";
import type { Ctx } from "../context";
import { listWantedHooks } from "./hook-rows";
import { hasItsKeys } from "./rows";

export type CallbackRow = typeof callbacks.$inferSelect;
export type ListedCallback = CallbackRow & { url: string };
export type ClaimedCallback = Row<typeof callbacks>;

/** Callbacks that are due. Each hook is a tenant of its own, so that a shop that hangs delays no other. */
export const dueCallbacks: Due<typeof callbacks> = {
  table: callbacks,
  fairBy: [callbacks.businessId, callbacks.hookId],
  moment: callbacks.nextTryAt,
  where: sql`${callbacks.nextTryAt} is not null`,
};

/** The seconds with which an id begins, in milliseconds. */
const secondsOf = (id: string) => Number.parseInt(id.slice(0, 8), 16) * 1_000;

/**
 * Queues the callback of a link that was paid, once for each hook of the integration that created it. That of a hook that was just deleted is stopped
 * at its first attempt, and resumed when the plugin makes the hook again. Runs in the transaction that marks the link as paid, and makes nothing that
 * could fail there: the body is made at the first attempt.
 */
export async function queueCallbacks(
  ctx: Ctx,
  tx: Tx,
  paid: Pick<CallbackRow, "integrationId" | "paymentLinkId" | "paymentId">,
): Promise<void> {
  const wanted = await listWantedHooks(ctx, paid.integrationId, tx);
  if (wanted.length === 0) return;
  await tx
    .insert(callbacks)
    .values(
      wanted.map(({ id }) => ({
        ...paid,
        businessId: ctx.businessId,
        mode: ctx.mode,
        id: derivedId(secondsOf(paid.paymentLinkId), "callback", id, paid.paymentLinkId),
        hookId: id,
        nextTryAt: sql`now()` as never,
      })),
    )
    .onConflictDoNothing();
}

/** SQL: a callback that ends without another attempt. */
const stopped = { status: "stopped", nextTryAt: null, updatedAt: sql`now()` } as const;

/** Ends what waits for the hooks of an integration. */
export async function stopCallbacks(ctx: Ctx, tx: Tx, integrationId: string): Promise<void> {
  await tx
    .update(callbacks)
    .set(stopped)
    .where(
      owned(
        ctx,
        callbacks,
        eq(callbacks.integrationId, integrationId),
        eq(callbacks.status, "pending"),
      ),
    );
}

/** Resumes what was stopped when a hook was deleted that its plugin has made again. */
export async function resumeCallbacks(ctx: Ctx, tx: Tx, hookId: string): Promise<void> {
  await tx
    .update(callbacks)
    .set({ status: "pending", nextTryAt: sql`now()` as never, updatedAt: sql`now()` })
    .where(
      owned(
        ctx,
        callbacks,
        eq(callbacks.hookId, hookId),
        eq(callbacks.status, "stopped"),
        sql`${callbacks.attempts} < ${integrationLimits.attempts} and ${callbacks.createdAt} > now() - interval '1 day'`,
      ),
    );
}

/**
 * What an attempt needs besides its row. `live`: the hook and its integration still want callbacks. `waits`: the plugin has not read its
 * new keys, or only just, and has still to save them. `mayLackKeys`: whether it has saved them is not known yet.
 */
export type CallbackTarget = {
  url: string;
  live: boolean;
  waits: boolean;
  mayLackKeys: boolean;
  plugin: ShopPlugin;
} & Pick<typeof integrations.$inferSelect, "signatureKey" | "apiKeyDigest" | "savedKeyDigest">;

export async function findTarget(
  ctx: Ctx,
  { hookId, createdAt }: Pick<CallbackRow, "hookId" | "createdAt">,
  on: Executor = db,
): Promise<CallbackTarget> {
  // Nothing waits for ever: after this a callback is sent, and what its shop says ends it.
  const young = sql`${createdAt}::timestamptz > now() - interval '30 days'`;
  const [row] = await on
    .select({
      url: hooks.url,
      live: sql<boolean>`${hooks.enabled} and ${hooks.deletedAt} is null and ${integrations.revokedAt} is null`,
      waits: sql<boolean>`${integrations.revokedAt} is null and ${integrations.keysReplacedAt} is not null and ${young}
        and coalesce(${integrations.keysReadAt} > now() - interval '15 minutes', true) and not ${hasItsKeys}`,
      mayLackKeys: sql<boolean>`${young} and coalesce(coalesce(${integrations.keysReadAt}, ${integrations.keysReplacedAt}) > now() - interval '30 days', false)
        and not ${hasItsKeys}`,
      plugin: integrations.plugin,
      signatureKey: integrations.signatureKey,
      apiKeyDigest: integrations.apiKeyDigest,
      savedKeyDigest: integrations.savedKeyDigest,
    })
    .from(hooks)
    .innerJoin(
      integrations,
      and(eq(integrations.businessId, hooks.businessId), eq(integrations.id, hooks.integrationId)),
    )
    .where(owned(ctx, hooks, eq(hooks.id, hookId)));
  if (!row) throw new Error("a callback without its hook");
  return row;
}

const one = (ctx: Ctx, { id }: Pick<CallbackRow, "id">) =>
  owned(ctx, callbacks, eq(callbacks.id, id));

/** Counts an attempt before it is made, so that a crash costs one and no shop gets more. Throws ClaimLost. */
export async function beginAttempt(
  ctx: Ctx,
  tx: Tx,
  row: ClaimedCallback,
  body: string,
): Promise<void> {
  await assertHeld(tx, callbacks, [row]);
  await tx
    .update(callbacks)
    .set({ body, attempts: sql`${callbacks.attempts} + 1` })
    .where(one(ctx, row));
}

export type CallbackOutcome = {
  status: CallbackStatus;
  /** Until the next attempt, of a pending one. */
  seconds: number | null;
  attempt: CallbackAttempt | null;
  /** How many attempts count, where this one does not. */
  attempts?: number;
};

/**
 * Writes the outcome of an attempt; a second time it adds nothing to the history. What was stopped meanwhile stays so unless the shop has taken
 * it. Throws ClaimLost.
 */
export async function recordOutcome(
  ctx: Ctx,
  tx: Tx,
  row: ClaimedCallback,
  { status, seconds, attempt, attempts }: CallbackOutcome,
): Promise<void> {
  await assertHeld(tx, callbacks, [row]);
  const added = JSON.stringify([attempt]);
  const keeps = sql`${callbacks.status} <> 'pending' and ${status}::text = 'pending'`;
  await tx
    .update(callbacks)
    .set({
      status: sql`case when ${keeps} then ${callbacks.status} else ${status}::text end` as never,
      nextTryAt: sql`case when ${keeps} then null else (select now() + make_interval(secs => ${seconds}::float8)) end`,
      ...(attempt
        ? {
            history: sql`case when ${callbacks.history} @> ${added}::jsonb then ${callbacks.history} else ${callbacks.history} || ${added}::jsonb end`,
          }
        : {}),
      ...(attempts === undefined ? {} : { attempts }),
      updatedAt: sql`now()`,
    })
    .where(one(ctx, row));
}

const filters: Filters<IntegrationCallbackQuery> = {
  status: is(callbacks.status),
  payment_link_id: is(callbacks.paymentLinkId),
  ...createdFilters(callbacks.createdAt),
};
const conditions = (ctx: Ctx, integrationId: string, query: IntegrationCallbackQuery) =>
  owned(ctx, callbacks, eq(callbacks.integrationId, integrationId), ...filtered(filters, query));
const ofHook = and(eq(hooks.businessId, callbacks.businessId), eq(hooks.id, callbacks.hookId));
const shown = { callback: callbacks, url: hooks.url };
const flat = ({ callback, url }: { callback: CallbackRow; url: string }) => ({ ...callback, url });

/** A page of the callbacks of an integration. */
export async function listCallbacks(
  ctx: Ctx,
  integrationId: string,
  query: IntegrationCallbackQuery,
  walk: Walk,
): Promise<ListedCallback[]> {
  const { where, orderBy, limit, offset } = keyset(callbacks, walk);
  const rows = await db
    .select(shown)
    .from(callbacks)
    .innerJoin(hooks, ofHook)
    .where(and(conditions(ctx, integrationId, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return rows.map(flat);
}

export async function countCallbacks(
  ctx: Ctx,
  integrationId: string,
  query: IntegrationCallbackQuery,
): Promise<number> {
  return db.$count(callbacks, conditions(ctx, integrationId, query));
}

/** The newest callback of each of these integrations. */
export async function lastCallbacks(
  ctx: Ctx,
  integrationIds: readonly string[],
  on: Executor = db,
): Promise<ListedCallback[]> {
  if (integrationIds.length === 0) return [];
  const rows = await on
    .selectDistinctOn([callbacks.integrationId], shown)
    .from(callbacks)
    .innerJoin(hooks, ofHook)
    .where(owned(ctx, callbacks, inArray(callbacks.integrationId, [...integrationIds])))
    .orderBy(callbacks.integrationId, desc(callbacks.createdAt), desc(callbacks.id));
  return rows.map(flat);
}

/** Forgets callbacks that are settled and older than that many days. Returns how many. */
export async function unscopedForgetCallbacks(days: number, limit = 5_000): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from ${callbacks} where (business_id, id) in (
      select business_id, id from ${callbacks} where created_at < now() - make_interval(days => ${days}) and status <> 'pending' limit ${limit})`);
  return rowCount ?? 0;
}
