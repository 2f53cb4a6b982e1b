import type * as z from "zod";
import { findEndpoint } from "@/lib/contract/find-endpoint";
import type { RequestOutcome, RequestOutcomeInput } from "@/lib/contract/lost-answers";
import type { Ctx } from "../context";
import { keyScope, ownTarget } from "./claim";
import { commit } from "./commit";
import { findKey, type KeyRow, usedUp, useUpKey } from "./rows";

type Outcome = z.output<typeof RequestOutcome>["outcome"];

/**
 * The outcome of a request after its response was lost. A request that has not started never will: the same step uses up its key,
 * so a request that is still on its way changes nothing.
 */
export async function settleRequest(
  ctx: Ctx,
  { method, path, idempotency_key: key }: z.output<typeof RequestOutcomeInput>,
): Promise<{ outcome: Outcome }> {
  const own = findEndpoint(method, path.slice("/api".length))?.ownOnly;
  const scope = keyScope(method, own ? ownTarget(ctx, path) : path, key);
  const known = outcomeOf(await findKey(ctx, scope));
  if (known) {
    // Only reading leaves no audit entry; a page asks again while the request runs.
    if (ctx.audit) ctx.audit.written = true;
    return { outcome: known };
  }
  return commit(ctx, async (tx) => {
    await useUpKey(ctx, tx, scope);
    return { outcome: outcomeOf(await findKey(ctx, scope, tx)) ?? "running" };
  });
}

function outcomeOf(row: KeyRow | undefined): Outcome | undefined {
  if (!row) return undefined;
  if (row.bodyDigest === usedUp) return "never_ran";
  if (row.answer) return "ran";
  if (row.running) return "running";
  return row.begun ? "ran" : undefined;
}
