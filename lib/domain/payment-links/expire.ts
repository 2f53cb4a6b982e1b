import { withTransaction } from "@/db/client";
import { databaseNow } from "@/db/now";
import type { Ctx } from "../context";
import { emit } from "../events/emit";
import { expireEach } from "../expire-each";
import { presentLink } from "./present";
import { changeLink, lockLink, unscopedExpiredLinks } from "./rows";

/** Expires an active link whose time is over; does nothing when it changed meanwhile or a payer is at the gateway. */
export async function expire(ctx: Ctx, id: string): Promise<boolean> {
  return withTransaction(async (tx) => {
    const before = await lockLink(ctx, tx, id);
    if (
      before?.status !== "Active" ||
      before.openPaymentId ||
      !before.expiresAt ||
      Date.parse(before.expiresAt) > (await databaseNow(tx))
    )
      return false;
    const row = await changeLink(ctx, tx, id, { status: "Expired" });
    await emit(ctx, tx, { type: "payment_link.expired", objectId: id, data: presentLink(row) });
    return true;
  });
}

/** The worker's part: expires what is due. A payer's open page is released by the looks at its attempt. Returns how many expired. */
export const expireDue = (requestId: string): Promise<number> =>
  expireEach(unscopedExpiredLinks, expire, requestId);
