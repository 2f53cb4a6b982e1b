import { randomUUID } from "node:crypto";
import { metaTimestamp } from "@/lib/kernel/clock";
import { invalid, malformed, Problem } from "@/lib/kernel/problem";
import { digest, seal, unseal } from "@/lib/kernel/secrets";
import type { Executor } from "@/db/client";
import type { Claim, Ctx } from "../context";
import {
  extendKey,
  findKey,
  insertKey,
  keepAnswer,
  noteBegun,
  releaseKey,
  takeOverKey,
  unlockKey,
} from "./rows";

/** A stored answer, sent again as it was. */
type Replay = { timestamp: string; data: unknown };

/** Which request a key names, within a business and mode. `target`: the path with its query. */
export const keyScope = (method: string, target: string, key: string): string =>
  digest(`${method} ${target}\n${key}`);

/** The target of a request that concerns its caller alone: others may choose the same key. */
export const ownTarget = ({ actor }: Ctx, target: string): string => `${target}#${actor.id}`;

/**
 * Claims an Idempotency-Key for this business, mode, method and target (the path with its query). Returns the claim to run under, or the
 * stored answer. `secret`: the answer shows a secret and is never replayed.
 * Throws 400 for a bad key, 422 for another body, 409 while the first request still runs, and instead of showing a secret again.
 */
export async function claimKey(
  ctx: Ctx,
  key: string,
  method: string,
  target: string,
  body: string,
  secret = false,
): Promise<Claim | Replay> {
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw malformed("The Idempotency-Key header must have 1 to 255 visible characters.");
  const scope = keyScope(method, target, key);
  const bodyDigest = digest(body);
  const claim: Claim = {
    scope,
    id: randomUUID(),
    timestamp: metaTimestamp(),
    begun: null,
    settled: false,
    secret,
  };
  if (await insertKey(ctx, scope, bodyDigest, claim.id)) return claim;
  const row = await findKey(ctx, scope);
  if (row && row.bodyDigest !== bodyDigest)
    throw invalid({
      idempotency_key: ["The idempotency key was already used with another request body."],
    });
  if (row?.answer && secret) throw alreadyShown();
  if (row?.answer) return JSON.parse(unseal(row.answer, "idempotency")) as Replay;
  if (row && !row.running) {
    const taken = await takeOverKey(ctx, scope, row.claim, claim.id);
    if (taken) return { ...claim, begun: taken.begun };
  }
  throw new Problem(
    409,
    "idempotency_in_progress",
    "A request with this idempotency key is still running.",
    { headers: { "retry-after": "1" } },
  );
}

const EXTEND_EVERY_MS = 4_000;

/** Keeps the claim of a run that lives; returns how to stop. A run that died loses it after 15 s. */
export function holdClaim(ctx: Ctx, everyMs = EXTEND_EVERY_MS): () => void {
  const { claim } = ctx;
  if (!claim) return () => undefined;
  const timer = setInterval(() => {
    if (claim.settled) clearInterval(timer);
    else extendKey(ctx, claim.scope, claim.id).catch(() => undefined);
  }, everyMs).unref();
  return () => clearInterval(timer);
}

const alreadyShown = () =>
  new Problem(
    409,
    "secret_already_shown",
    "This request was done already. Its answer held a secret, which is shown only once.",
  );

/** Keeps a 200 in the transaction that made it, so that the answer and the change stand or fall together. */
export async function settleClaim(ctx: Ctx, on: Executor, data: unknown): Promise<void> {
  const { claim } = ctx;
  if (!claim || claim.settled) return;
  const kept = await keepAnswer(
    ctx,
    on,
    claim.scope,
    claim.id,
    seal(
      JSON.stringify({ timestamp: claim.timestamp, data: claim.secret ? null : data }),
      "idempotency",
    ),
  );
  if (!kept) throw takenOver();
}

const takenOver = () =>
  new Problem(
    409,
    "idempotency_in_progress",
    "A later request with this idempotency key has taken over.",
    { headers: { "retry-after": "1" } },
  );

/** Records, in the same transaction, the payment, refund or advance that this run started. Throws 409 when another run took the key over. */
export async function noteClaimBegun(ctx: Ctx, on: Executor, id: string): Promise<void> {
  if (ctx.claim && !(await noteBegun(ctx, on, ctx.claim.scope, ctx.claim.id, id)))
    throw takenOver();
}

/** After a failure: the key can be used again, and the next request continues what was started. */
export async function releaseClaim(ctx: Ctx): Promise<void> {
  if (!ctx.claim || ctx.claim.settled) return;
  await releaseKey(ctx, ctx.claim.scope, ctx.claim.id);
  await unlockKey(ctx, ctx.claim.scope, ctx.claim.id);
}
