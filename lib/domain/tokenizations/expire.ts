import { withTransaction } from "@/db/client";
import { databaseNow } from "@/db/now";
import type { Ctx } from "../context";
import { emit } from "../events/emit";
import { expireEach } from "../expire-each";
import { presentForEvent } from "./present";
import { changeTokenization, lockTokenization, unscopedExpiredTokenizations } from "./rows";

/** Expires a pending token whose time is over; does nothing when it changed meanwhile or a payer's attempt is not over. */
export async function expire(ctx: Ctx, id: string): Promise<boolean> {
  return withTransaction(async (tx) => {
    const before = await lockTokenization(ctx, tx, id);
    if (
      before?.status !== "pending" ||
      before.attemptAt ||
      Date.parse(before.expiresAt) > (await databaseNow(tx))
    )
      return false;
    const row = await changeTokenization(ctx, tx, id, { status: "expired", notice: null }, true);
    await emit(ctx, tx, { type: "tokenization.expired", objectId: id, data: presentForEvent(row) });
    return true;
  });
}

/** The worker's part: expires what is due. Returns how many expired. */
export const expireDue = (requestId: string): Promise<number> =>
  expireEach(unscopedExpiredTokenizations, expire, requestId);
