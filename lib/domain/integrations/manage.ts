import { setsOneOf } from "@/db/filters";
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
  MemberIntegration,
} from "@/lib/contract/integrations";
import { integrationLimits } from "@/lib/contract/values";
import { newCredential, newId } from "@/lib/kernel/ids";
import { conflict, notFound } from "@/lib/kernel/problem";
import { digest, seal } from "@/lib/kernel/secrets";
import { namesOf } from "../actors/rows";
import { lockBusiness } from "../businesses/rows";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { listPage } from "../lists";
import { countCallbacks, lastCallbacks, listCallbacks, stopCallbacks } from "./callback-rows";
import { listHooks } from "./hook-rows";
import { presentCallback, presentIntegration, presentMemberIntegration } from "./present";
import {
  changeIntegration,
  countIntegrations,
  type Credentials,
  deleteTokens,
  findIntegration,
  insertIntegration,
  type IntegrationRow,
  listIntegrations,
  listIntegrationsShownTo,
  lockIntegration,
  lockIntegrationsShownTo,
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
  const people = rows.flatMap(({ passwordShownTo }) => passwordShownTo);
  const names = await namesOf(
    ctx,
    people.map((id) => ({ kind: "person", id })),
    on,
  );
  return rows.map((row) =>
    presentIntegration(
      row,
      hooks.filter(({ integrationId }) => integrationId === row.id),
      callbacks.find(({ integrationId }) => integrationId === row.id),
      names,
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

/** Every secret of an integration, made anew, and its password. */
function newCredentials({ mode }: Pick<Ctx, "mode">, id: string): [string, Credentials] {
  const password = newCredential("password", mode, id);
  const apiKey = newCredential("api_key", mode, id);
  return [
    password,
    {
      passwordDigest: digest(password),
      apiKeyDigest: digest(apiKey),
      apiKey: seal(apiKey, "integration"),
      signatureKey: seal(randomBytes(32).toString("hex"), "integration"),
    },
  ];
}

const caller = ({ actor }: Ctx) => (actor.kind === "person" && actor.id ? [actor.id] : []);

/** Connects a shop plugin. Only this answer has the password of its sign-in. Throws 409 when there are enough. */
export async function create(ctx: Ctx, input: IntegrationInput): Promise<IntegrationWithPassword> {
  const id = newId();
  const [password, credentials] = newCredentials(ctx, id);
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
      ...credentials,
      passwordShownTo: caller(ctx),
    });
    return { ...(await presentedOne(ctx, row, tx)), password };
  });
}

async function locked(ctx: Ctx, tx: Tx, id: string): Promise<IntegrationRow> {
  const row = await lockIntegration(ctx, tx, id);
  if (!row) throw notFound();
  return row;
}

async function lockedLive(ctx: Ctx, tx: Tx, id: string): Promise<IntegrationRow> {
  const row = await locked(ctx, tx, id);
  if (row.revokedAt) throw conflict("This shop plugin is revoked.");
  return row;
}

/** A new password; the one before and its sign-ins end. Throws 404, and 409 for a revoked integration. */
export async function renewPassword(ctx: Ctx, id: string): Promise<IntegrationWithPassword> {
  const password = newCredential("password", ctx.mode, id);
  return commit(ctx, async (tx) => {
    const { passwordShownTo } = await lockedLive(ctx, tx, id);
    await deleteTokens(ctx, tx, id);
    const row = await changeIntegration(ctx, tx, id, {
      passwordDigest: digest(password),
      passwordShownTo: [...new Set([...passwordShownTo, ...caller(ctx)])],
    });
    return { ...(await presentedOne(ctx, row, tx)), password };
  });
}

/** Replaces every secret of a locked integration. Its links and hooks stay, and its callbacks wait until the plugin has read the new keys. */
async function replaceCredentials(
  ctx: Ctx,
  tx: Tx,
  id: string,
  passwordShownTo: string[],
): Promise<{ row: IntegrationRow; password: string }> {
  const [password, credentials] = newCredentials(ctx, id);
  await deleteTokens(ctx, tx, id);
  const row = await changeIntegration(ctx, tx, id, {
    ...credentials,
    passwordShownTo,
    replaced: true,
  });
  return { row, password };
}

/** New keys, with a new password by which the plugin reads them; all of before end at once. Throws as `renewPassword`. */
export async function replaceKeys(ctx: Ctx, id: string): Promise<IntegrationWithPassword> {
  return commit(ctx, async (tx) => {
    await lockedLive(ctx, tx, id);
    const { row, password } = await replaceCredentials(ctx, tx, id, caller(ctx));
    return { ...(await presentedOne(ctx, row, tx)), password };
  });
}

/** The integrations of both modes of which a person was shown a password. */
export const shownTo = async (ctx: Ctx, userId: string): Promise<MemberIntegration[]> =>
  (await listIntegrationsShownTo(ctx.businessId, userId)).map(presentMemberIntegration);

/** Replaces every secret of those integrations, and shows no password: each gets one on its page. Returns them. */
export async function replaceShownTo(
  ctx: Ctx,
  tx: Tx,
  userId: string,
): Promise<Pick<IntegrationRow, "id" | "mode">[]> {
  const rows = await lockIntegrationsShownTo(tx, ctx.businessId, userId);
  for (const { id, mode } of rows) await replaceCredentials({ ...ctx, mode }, tx, id, []);
  return rows;
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
    readsAll: setsOneOf(query, "status"),
    present: presentCallback,
    fetch: (walk) => listCallbacks(ctx, id, query, walk),
    count: () => countCallbacks(ctx, id, query),
  });
}
