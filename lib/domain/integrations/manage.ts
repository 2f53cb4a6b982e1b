import { randomBytes } from "node:crypto";
import { notifyChange } from "@/db/changes";
import { db, type Executor, type Tx } from "@/db/client";
import type { Page } from "@/lib/contract/envelope";
import type {
  Integration,
  IntegrationCallback,
  IntegrationCallbackQuery,
  IntegrationInput,
  IntegrationQuery,
  IntegrationWithPassword,
} from "@/lib/contract/integrations";
import { integrationLimits } from "@/lib/contract/values";
import { newCredential, newId } from "@/lib/kernel/ids";
import { conflict, notFound } from "@/lib/kernel/problem";
import { digest, seal } from "@/lib/kernel/secrets";
import { lockBusiness } from "../businesses/rows";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { listPage } from "../lists";
import { countCallbacks, lastCallbacks, listCallbacks, stopCallbacks } from "./callback-rows";
import { listHooks } from "./hook-rows";
import { presentCallback, presentIntegration } from "./present";
import {
  changeIntegration,
  countIntegrations,
  deleteTokens,
  findIntegration,
  insertIntegration,
  type IntegrationRow,
  listIntegrations,
  lockIntegration,
} from "./rows";

/** Integrations with their hooks and last callbacks. */
async function presented(
  ctx: Ctx,
  rows: readonly IntegrationRow[],
  on: Executor = db,
): Promise<Integration[]> {
  const ids = rows.map(({ id }) => id);
  const hooks = await listHooks(ctx, ids, on);
  const callbacks = await lastCallbacks(ctx, ids, on);
  return rows.map((row) =>
    presentIntegration(
      row,
      hooks.filter(({ integrationId }) => integrationId === row.id),
      callbacks.find(({ integrationId }) => integrationId === row.id),
    ),
  );
}

async function presentedOne(ctx: Ctx, row: IntegrationRow, on: Executor = db) {
  const [shown] = await presented(ctx, [row], on);
  return shown as Integration;
}

/** A page of the integrations of this mode. */
export async function list(
  ctx: Ctx,
  query: IntegrationQuery,
  search: URLSearchParams,
): Promise<Page<Integration>> {
  const page = await listPage(ctx, {
    path: "/integrations",
    search,
    query,
    present: (row: IntegrationRow) => row,
    fetch: (walk) => listIntegrations(ctx, query, walk),
    count: () => countIntegrations(ctx, query),
  });
  return { ...page, data: await presented(ctx, page.data) };
}

/** One integration. Throws 404. */
export async function get(ctx: Ctx, id: string): Promise<Integration> {
  const row = await findIntegration(ctx, id);
  if (!row) throw notFound();
  return presentedOne(ctx, row);
}

/** Connects a shop plugin. Only this answer has the password of its sign-in. Throws 409 when there are enough. */
export async function create(ctx: Ctx, input: IntegrationInput): Promise<IntegrationWithPassword> {
  const id = newId();
  const password = newCredential("password", ctx.mode, id);
  const apiKey = newCredential("api_key", ctx.mode, id);
  return commit(ctx, async (tx) => {
    await lockBusiness(tx, ctx.businessId);
    if ((await countIntegrations(ctx, { status: "active" }, tx)) >= integrationLimits.integrations)
      throw conflict(
        `There are already ${integrationLimits.integrations} shop plugins. Revoke one first.`,
      );
    const { name, plugin, ...unwritten } = input;
    const row = await insertIntegration(ctx, tx, {
      id,
      name,
      plugin,
      // A field of the contract that is missing above does not compile.
      ...(unwritten satisfies Record<string, never>),
      passwordDigest: digest(password),
      apiKeyDigest: digest(apiKey),
      apiKey: seal(apiKey, "integration"),
      signatureKey: seal(randomBytes(32).toString("hex"), "integration"),
    });
    return { ...(await presentedOne(ctx, row, tx)), password };
  });
}

async function locked(ctx: Ctx, tx: Tx, id: string): Promise<IntegrationRow> {
  const row = await lockIntegration(ctx, tx, id);
  if (!row) throw notFound();
  return row;
}

/** A new password; the one before and its sign-ins end. Throws 404, and 409 for a revoked integration. */
export async function renewPassword(ctx: Ctx, id: string): Promise<IntegrationWithPassword> {
  const password = newCredential("password", ctx.mode, id);
  return commit(ctx, async (tx) => {
    const before = await locked(ctx, tx, id);
    if (before.revokedAt) throw conflict("This shop plugin is revoked.");
    await deleteTokens(ctx, tx, id);
    const row = await changeIntegration(ctx, tx, id, { passwordDigest: digest(password) });
    return { ...(await presentedOne(ctx, row, tx)), password };
  });
}

/** Ends an integration at once: its credentials are refused and its callbacks stop. Throws 404, also for one that has ended. */
export async function revoke(ctx: Ctx, id: string): Promise<Integration> {
  return commit(ctx, async (tx) => {
    const before = await locked(ctx, tx, id);
    if (before.revokedAt) throw notFound();
    await deleteTokens(ctx, tx, id);
    await stopCallbacks(ctx, tx, id);
    const row = await changeIntegration(ctx, tx, id, { revoked: true });
    await notifyChange(tx, ctx, "integration.revoked", id);
    return presentedOne(ctx, row, tx);
  });
}

/** A page of the callbacks of an integration. Throws 404. */
export async function callbacks(
  ctx: Ctx,
  id: string,
  query: IntegrationCallbackQuery,
  search: URLSearchParams,
): Promise<Page<IntegrationCallback>> {
  if (!(await findIntegration(ctx, id))) throw notFound();
  return listPage(ctx, {
    path: `/integrations/${id}/callbacks`,
    search,
    query,
    present: presentCallback,
    fetch: (walk) => listCallbacks(ctx, id, query, walk),
    count: () => countCallbacks(ctx, id, query),
  });
}
