import { type Tx, withTransaction } from "@/db/client";
import { recordCall } from "../audit/record";
import type { Ctx } from "../context";
import { settleClaim } from "./claim";

/** One transaction for a change: what `body` answers is the call's `data`, kept for replays and, of staff, in the audit log in the same commit. */
export async function commit<T>(ctx: Ctx, body: (tx: Tx) => Promise<T>): Promise<T> {
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
