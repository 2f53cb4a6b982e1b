import type { Tx } from "@/db/client";
import { env } from "@/lib/env";
import { integrationLimits } from "@/lib/contract/values";
import { conflict, type FieldErrors, notFound } from "@/lib/kernel/problem";
import { objection } from "@/lib/kernel/public-address";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { resumeCallbacks } from "./callback-rows";
import {
  changeHook,
  findDeletedHook,
  findHook,
  type HookRow,
  insertHook,
  listHooks,
} from "./hook-rows";
import { lockIntegration } from "./rows";

/** A hook as a plugin knows it. */
export type Hook = { _id: string; name: "payment.created"; url: string; enabled: boolean };

const present = ({ id, url, enabled }: HookRow): Hook => ({
  _id: id,
  name: "payment.created",
  url,
  enabled,
});

/** What speaks against a hook's address, as for webhook endpoints. */
export function validateHook({ url }: { url?: string | undefined }): FieldErrors {
  const text = url === undefined ? null : objection(new URL(url), env.WEBHOOK_ALLOW_PRIVATE);
  return text === null ? {} : { url: [text] };
}

/** The hooks of an integration, the oldest first. */
export async function list(ctx: Ctx, integrationId: string): Promise<Hook[]> {
  return (await listHooks(ctx, [integrationId])).map(present);
}

async function lock(ctx: Ctx, tx: Tx, integrationId: string): Promise<void> {
  const row = await lockIntegration(ctx, tx, integrationId);
  if (!row || row.revokedAt) throw notFound();
}

/** Adds a hook. One that its plugin has deleted comes back with its id, and so does what was stopped with it. Throws 409 when there are enough. */
export async function add(
  ctx: Ctx,
  integrationId: string,
  { url, enabled }: { url: string; enabled: boolean },
): Promise<Hook> {
  return commit(ctx, async (tx) => {
    await lock(ctx, tx, integrationId);
    const hooks = await listHooks(ctx, [integrationId], tx);
    const same = hooks.find((hook) => hook.url === url);
    if (same) return present(await changeHook(ctx, tx, same.id, { enabled }));
    if (hooks.length >= integrationLimits.hooks)
      throw conflict(`There are already ${integrationLimits.hooks} webhooks. Delete one first.`);
    const deleted = await findDeletedHook(ctx, tx, integrationId, url);
    if (!deleted) return present(await insertHook(ctx, tx, { integrationId, url, enabled }));
    const row = await changeHook(ctx, tx, deleted.id, { enabled, deleted: false });
    await resumeCallbacks(ctx, tx, row.id);
    return present(row);
  });
}

async function found(ctx: Ctx, tx: Tx, integrationId: string, id: string): Promise<HookRow> {
  await lock(ctx, tx, integrationId);
  const row = await findHook(ctx, tx, integrationId, id);
  if (!row) throw notFound();
  return row;
}

/** Changes what is named. Throws 404. */
export async function change(
  ctx: Ctx,
  integrationId: string,
  id: string,
  { url, enabled }: { url?: string | undefined; enabled?: boolean | undefined },
): Promise<Hook> {
  return commit(ctx, async (tx) => {
    await found(ctx, tx, integrationId, id);
    return present(
      await changeHook(ctx, tx, id, {
        ...(url === undefined ? {} : { url }),
        ...(enabled === undefined ? {} : { enabled }),
      }),
    );
  });
}

/** Deletes a hook and returns it as it was. What waits for it is stopped at its next attempt. Throws 404. */
export async function remove(ctx: Ctx, integrationId: string, id: string): Promise<Hook> {
  return commit(ctx, async (tx) => {
    const before = await found(ctx, tx, integrationId, id);
    await changeHook(ctx, tx, id, { deleted: true });
    return present(before);
  });
}
