import type { Tx } from "@/db/client";
import type {
  ApiKey,
  ApiKeyInput,
  ApiKeyQuery,
  NewApiKey,
  RollInput,
} from "@/lib/contract/api-keys";
import type { Page } from "@/lib/contract/envelope";
import { overlapHours } from "@/lib/contract/values";
import { assertNone, conflict, notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { validateExpiry } from "../expiry";
import { commit } from "../idempotency/commit";
import { listPage } from "../lists";
import { createKey } from "./create";
import { presentKey } from "./present";
import { countKeys, endLockedKey, listKeyPage, lockKey, showKey } from "./rows";

/** A page of the keys of this mode. */
export async function list(
  ctx: Ctx,
  query: ApiKeyQuery,
  search: URLSearchParams,
): Promise<Page<ApiKey>> {
  return listPage(ctx, {
    path: "/api-keys",
    search,
    query,
    present: presentKey,
    fetch: (walk) => listKeyPage(ctx, query, walk),
    count: () => countKeys(ctx, query),
  });
}

async function shown(ctx: Ctx, tx: Tx, id: string): Promise<ApiKey> {
  const row = await showKey(ctx, tx, id);
  if (!row) throw notFound();
  return presentKey(row);
}

const byWhom = (ctx: Ctx) => (ctx.actor.kind === "person" ? ctx.actor.id : undefined);

/** Makes a key of this mode; the key itself is in this answer only. Throws 422 for an expiry that has passed. */
export async function create(ctx: Ctx, input: ApiKeyInput): Promise<NewApiKey> {
  assertNone(await validateExpiry(input));
  return commit(ctx, async (tx) => {
    const { row, secret } = await createKey(ctx, input.name, {
      createdBy: byWhom(ctx),
      expiresAt: input.expires_at ?? null,
      on: tx,
    });
    return { ...(await shown(ctx, tx, row.id)), key: secret };
  });
}

/** Ends a key at once. Throws 404, also for one that has ended. */
export async function revoke(ctx: Ctx, id: string): Promise<ApiKey> {
  return commit(ctx, async (tx) => {
    const found = await lockKey(ctx, tx, id);
    if (!found?.works) throw notFound();
    await endLockedKey(ctx, tx, id, 0);
    return shown(ctx, tx, id);
  });
}

/** Makes the key that follows this one; the old one works on for the overlap. Throws 404, and 409 for a key that has ended or is ending. */
export async function roll(ctx: Ctx, id: string, input: RollInput): Promise<NewApiKey> {
  return commit(ctx, async (tx) => {
    const found = await lockKey(ctx, tx, id);
    if (!found) throw notFound();
    if (!found.works || !found.fresh) throw conflict("This key has ended or was already rolled.");
    await endLockedKey(ctx, tx, id, input.overlap_hours ?? overlapHours.default);
    const { row, secret } = await createKey(ctx, found.key.name, {
      createdBy: byWhom(ctx),
      expiresAt: found.key.expiresAt,
      on: tx,
    });
    if (ctx.audit) ctx.audit.details.rolled = id;
    return { ...(await shown(ctx, tx, row.id)), key: secret };
  });
}
