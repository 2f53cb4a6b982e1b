import { type Tx, withTransaction } from "@/db/client";
import { holdCaller, recordCall } from "../audit/record";
import type { Ctx } from "../context";
import { settleClaim } from "./claim";

/**
 * One transaction for a change: what `body` answers is the call's `data`, kept for replays and, of staff and the operator, in the audit log in the same
 * commit. Throws 403 where staff may no longer make the call.
 */
export const commit = <T>(ctx: Ctx, body: (tx: Tx) => Promise<T>): Promise<T> =>
  commitHeld(ctx, async (tx) => {
    await holdCaller(ctx, tx);
    return body(tx);
  });

/** The same where `body` holds the caller's membership, in the order of its other locks. */
export async function commitHeld<T>(ctx: Ctx, body: (tx: Tx) => Promise<T>): Promise<T> {
  const data = await withTransaction(async (tx) => {
    const made = await body(tx);
    await settleClaim(ctx, tx, made);
    await recordCall(ctx, tx, made);
    return made;
  });
  if (ctx.audit) ctx.audit.written = true;
  if (ctx.claim) ctx.claim.settled = true;
  return data;
}
