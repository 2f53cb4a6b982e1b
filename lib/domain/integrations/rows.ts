import { and, arrayContains, asc, desc, eq, isNotNull, isNull, max, not, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { directory, enter, entryOf } from "@/db/directory";
import { nowSql } from "@/db/columns";
import { createdFilters, filtered, type Filters } from "@/db/filters";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { type Key, touch } from "@/db/touch";
import { integrations, integrationTokens as tokens } from "@/db/schema/integrations";
import type { IntegrationQuery } from "@/lib/contract/integrations";
import { integrationLimits } from "@/lib/contract/values";
import type { Ctx } from "../context";

export type IntegrationRow = typeof integrations.$inferSelect;

const lookup = db
  .select({
    businessId: integrations.businessId,
    mode: integrations.mode,
    id: integrations.id,
    number: integrations.number,
    passwordDigest: integrations.passwordDigest,
    apiKeyDigest: integrations.apiKeyDigest,
    savedKeyDigest: integrations.savedKeyDigest,
    signedIn: sql<boolean>`exists (select 1 from ${tokens} where ${tokens.businessId} = ${integrations.businessId}
      and ${tokens.integrationId} = ${integrations.id} and ${tokens.digest} = ${sql.placeholder("token")} and ${tokens.expiresAt} > now())`,
  })
  .from(directory)
  .innerJoin(integrations, entryOf("integration", integrations, integrations.id))
  .where(and(eq(directory.key, sql.placeholder("id")), isNull(integrations.revokedAt)))
  .prepare("integration_by_id");

/** An integration that is not revoked, for authentication. `signedIn`: the token belongs to it and has not expired. */
export type FoundIntegration = Pick<
  IntegrationRow,
  "businessId" | "mode" | "id" | "number" | "passwordDigest" | "apiKeyDigest" | "savedKeyDigest"
> & { signedIn: boolean };

/** For authentication: the integration that a credential names. `tokenDigest` is that of the token, where the credential is one. */
export async function unscopedFindIntegration(
  id: string,
  tokenDigest = "",
): Promise<FoundIntegration | undefined> {
  const [row] = await lookup.execute({ id, token: tokenDigest });
  return row;
}

/** For the batch writer: notes that these integrations called just now. Returns those that were locked. */
export const unscopedTouchIntegrations = (list: readonly Key[]): Promise<Key[]> =>
  touch(integrations, integrations.lastSeenAt, list);

/** Every secret of an integration. */
export type Credentials = Pick<
  IntegrationRow,
  "passwordDigest" | "apiKeyDigest" | "apiKey" | "signatureKey"
>;

type NewIntegration = Pick<
  IntegrationRow,
  "id" | "name" | "plugin" | "passwordShownTo" | keyof Credentials
>;

/** Writes an integration. The caller has locked the business, so that numbers are unique. */
export async function insertIntegration(
  ctx: Ctx,
  tx: Tx,
  values: NewIntegration,
): Promise<IntegrationRow> {
  const [last] = await tx
    .select({ number: max(integrations.number) })
    .from(integrations)
    .where(eq(integrations.businessId, ctx.businessId));
  const [row] = await tx
    .with(enter(tx, "integration", ctx, values.id))
    .insert(integrations)
    .values({
      ...values,
      businessId: ctx.businessId,
      mode: ctx.mode,
      number: (last?.number ?? 0) + 1,
    })
    .returning();
  if (!row) throw new Error("the integration was not written");
  return row;
}

const filters: Filters<IntegrationQuery> = {
  status: (status) =>
    status === "active" ? isNull(integrations.revokedAt) : isNotNull(integrations.revokedAt),
  ...createdFilters(integrations.createdAt),
};
const conditions = (ctx: Ctx, query: IntegrationQuery) =>
  owned(ctx, integrations, ...filtered(filters, query));

export async function listIntegrations(
  ctx: Ctx,
  query: IntegrationQuery,
  walk: Walk,
): Promise<IntegrationRow[]> {
  const { where, orderBy, limit, offset } = keyset(integrations, walk);
  return db
    .select()
    .from(integrations)
    .where(and(conditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
}

export async function countIntegrations(
  ctx: Ctx,
  query: IntegrationQuery,
  on: Executor = db,
): Promise<number> {
  return on.$count(integrations, conditions(ctx, query));
}

export async function findIntegration(
  ctx: Ctx,
  id: string,
  on: Executor = db,
): Promise<IntegrationRow | undefined> {
  const [row] = await on
    .select()
    .from(integrations)
    .where(owned(ctx, integrations, eq(integrations.id, id)));
  return row;
}

/** The integration under its row lock, so that no hook or token is written beside the change. */
export async function lockIntegration(
  ctx: Ctx,
  tx: Tx,
  id: string,
): Promise<IntegrationRow | undefined> {
  const [row] = await tx
    .select()
    .from(integrations)
    .where(owned(ctx, integrations, eq(integrations.id, id)))
    .for("update");
  return row;
}

export async function changeIntegration(
  ctx: Ctx,
  tx: Tx,
  id: string,
  change:
    | Pick<IntegrationRow, "passwordDigest" | "passwordShownTo">
    | (Credentials & Pick<IntegrationRow, "passwordShownTo"> & { replaced: true })
    | { revoked: true },
): Promise<IntegrationRow> {
  const { replaced, revoked, ...columns } = { replaced: false, revoked: false, ...change };
  const [row] = await tx
    .update(integrations)
    .set({
      ...columns,
      ...(revoked ? { revokedAt: nowSql } : {}),
      ...(replaced ? { keysReplacedAt: nowSql, keysReadAt: null } : {}),
      updatedAt: sql`now()`,
    })
    .where(owned(ctx, integrations, eq(integrations.id, id)))
    .returning();
  if (!row) throw new Error("a locked integration is gone");
  return row;
}

/** SQL: the shop is known to have saved the present keys. */
export const hasItsKeys = sql<boolean>`coalesce(${integrations.savedKeyDigest} = ${integrations.apiKeyDigest}, false)`;

/**
 * Notes that the shop has saved these keys: its plugin makes a link with the API key, or it took a callback that the signature key had signed. A link
 * that is made with a token proves nothing: a sign-in hands that out before anything is saved.
 */
export async function noteKeysSaved(
  ctx: Ctx,
  {
    id,
    apiKeyDigest,
    savedKeyDigest,
  }: Pick<IntegrationRow, "id" | "apiKeyDigest" | "savedKeyDigest">,
): Promise<void> {
  if (savedKeyDigest === apiKeyDigest) return;
  await db
    .update(integrations)
    .set({ savedKeyDigest: apiKeyDigest })
    .where(ofKeys(ctx, { id, apiKeyDigest }));
}

/** The integration, as long as it has these keys. */
const ofKeys = (ctx: Ctx, { id, apiKeyDigest }: Pick<IntegrationRow, "id" | "apiKeyDigest">) =>
  owned(ctx, integrations, eq(integrations.id, id), eq(integrations.apiKeyDigest, apiKeyDigest));

/**
 * Notes that the plugin has read these keys, which replaced others. A read may only list them, or its answer be lost: each counts until
 * the shop has saved them.
 */
export async function noteKeysRead(
  ctx: Ctx,
  keys: Pick<IntegrationRow, "id" | "apiKeyDigest">,
): Promise<void> {
  await db
    .update(integrations)
    .set({ keysReadAt: nowSql })
    .where(and(ofKeys(ctx, keys), not(hasItsKeys)));
}

const shownTo = (businessId: number, userId: string) =>
  and(
    eq(integrations.businessId, businessId),
    arrayContains(integrations.passwordShownTo, [userId]),
    isNull(integrations.revokedAt),
  );

/** The integrations of both modes of which a person was shown a password, newest first. */
export async function listIntegrationsShownTo(
  businessId: number,
  userId: string,
): Promise<IntegrationRow[]> {
  return db
    .select()
    .from(integrations)
    .where(shownTo(businessId, userId))
    .orderBy(desc(integrations.createdAt), desc(integrations.id));
}

/** The same under their row locks, in one order everywhere. */
export async function lockIntegrationsShownTo(
  tx: Tx,
  businessId: number,
  userId: string,
): Promise<IntegrationRow[]> {
  return tx
    .select()
    .from(integrations)
    .where(shownTo(businessId, userId))
    .orderBy(asc(integrations.id))
    .for("update");
}

const tokensOf = ({ businessId }: Ctx, integrationId: string) =>
  and(eq(tokens.businessId, businessId), eq(tokens.integrationId, integrationId));

/** Keeps the token of a sign-in, and deletes those of its integration that have expired. */
export async function insertToken(
  ctx: Ctx,
  tx: Tx,
  integrationId: string,
  digest: string,
): Promise<void> {
  await tx
    .delete(tokens)
    .where(and(tokensOf(ctx, integrationId), sql`${tokens.expiresAt} <= now()`));
  await tx.insert(tokens).values({
    businessId: ctx.businessId,
    digest,
    integrationId,
    expiresAt: sql`now() + make_interval(days => ${integrationLimits.tokenDays})` as never,
  });
}

export async function deleteTokens(ctx: Ctx, tx: Tx, integrationId: string): Promise<void> {
  await tx.delete(tokens).where(tokensOf(ctx, integrationId));
}
