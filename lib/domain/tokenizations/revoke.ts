import { nowSql } from "@/db/columns";
import type { Tokenization } from "@/lib/contract/tokenizations";
import { conflict, notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { emit } from "../events/emit";
import { commit } from "../idempotency/commit";
import { presentForEvent, presentTokenization } from "./present";
import { changeTokenization, find, lockTokenization } from "./rows";

/** Revokes a pending or active token: nothing can be charged or saved with it from now on. Throws 404, also for one that is revoked, and 409. */
export async function revoke(ctx: Ctx, token: string): Promise<Tokenization> {
  return commit(ctx, async (tx) => {
    const known = await find(ctx, token, tx);
    const before = known && (await lockTokenization(ctx, tx, known.id));
    if (!before || before.status === "revoked") throw notFound();
    if (before.status === "expired") throw conflict("This token has expired.");
    // A payer may be at the gateway: the reconciler closes that page.
    const row = await changeTokenization(
      ctx,
      tx,
      before.id,
      { status: "revoked", notice: null, ...(before.attemptAt ? { nextCheckAt: nowSql } : {}) },
      true,
    );
    await emit(ctx, tx, {
      type: "tokenization.revoked",
      objectId: row.id,
      data: presentForEvent(row),
    });
    return presentTokenization(row);
  });
}
