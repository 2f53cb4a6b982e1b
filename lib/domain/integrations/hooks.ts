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
import { type FoundIntegration, lockIntegration } from "./rows";

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

/** The integration of a caller, as they were authenticated. */
type Caller = Pick<FoundIntegration, "id" | "apiKeyDigest">;

/** Throws 404, also where the keys were replaced since the caller was authenticated: their sign-in has ended. */
async function lock(ctx: Ctx, tx: Tx, { id, apiKeyDigest }: Caller): Promise<void> {
  const row = await lockIntegration(ctx, tx, id);
  if (!row || row.revokedAt || row.apiKeyDigest !== apiKeyDigest) throw notFound();
}

/** Adds a hook. One that its plugin has deleted comes back with its id, and so does what was stopped with it. Throws 409 when there are enough. */
export async function add(
  ctx: Ctx,
  caller: Caller,
  { url, enabled }: { url: string; enabled: boolean },
): Promise<Hook> {
  return commit(ctx, async (tx) => {
    const integrationId = caller.id;
    await lock(ctx, tx, caller);
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

async function found(ctx: Ctx, tx: Tx, caller: Caller, id: string): Promise<HookRow> {
  await lock(ctx, tx, caller);
  const row = await findHook(ctx, tx, caller.id, id);
  if (!row) throw notFound();
  return row;
}

/** Changes what is named. Throws 404. */
export async function change(
  ctx: Ctx,
  caller: Caller,
  id: string,
  { url, enabled }: { url?: string | undefined; enabled?: boolean | undefined },
): Promise<Hook> {
  return commit(ctx, async (tx) => {
    await found(ctx, tx, caller, id);
    return present(
      await changeHook(ctx, tx, id, {
        ...(url === undefined ? {} : { url }),
        ...(enabled === undefined ? {} : { enabled }),
      }),
    );
  });
}

/** Deletes a hook and returns it as it was. What waits for it is stopped at its next attempt. Throws 404. */
export async function remove(ctx: Ctx, caller: Caller, id: string): Promise<Hook> {
  return commit(ctx, async (tx) => {
    const before = await found(ctx, tx, caller, id);
    await changeHook(ctx, tx, id, { deleted: true });
    return present(before);
  });
}
