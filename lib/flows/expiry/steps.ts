import { type Tx, withTransaction } from "@/db/client";
import { databaseNow } from "@/db/now";
import { overSet } from "@/db/sets";
import { assertHeld, type Row } from "@/lib/jobs/claim-rows";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { emit } from "@/lib/domain/events/emit";
import { presentLink } from "@/lib/domain/payment-links/present";
import { changeLink, expiringLinks, lockLink } from "@/lib/domain/payment-links/rows";
import { presentForEvent } from "@/lib/domain/tokenizations/present";
import { momentOf } from "@/lib/domain/test-clocks/rows";
import {
  changeTokenization,
  expiringTokenizations,
  lockTokenization,
  type TokenizationRow,
} from "@/lib/domain/tokenizations/rows";

/** Expires an active link after its expiry time. `now`: in place of the moment that the call counts as. Does nothing when the link has changed or a payer is at the gateway. */
export async function expireLink(ctx: Ctx, tx: Tx, id: string, now?: number): Promise<boolean> {
  const before = await lockLink(ctx, tx, id);
  if (
    before?.status !== "Active" ||
    before.openPaymentId ||
    !before.expiresAt ||
    Date.parse(before.expiresAt) > (now ?? (await momentOf(ctx, tx)))
  )
    return false;
  const row = await changeLink(ctx, tx, id, { status: "Expired" });
  await emit(ctx, tx, { type: "payment_link.expired", objectId: id, data: presentLink(row) });
  return true;
}

/** Expires a pending token after its expiry time. `now`: by the database's clock. Does nothing when the token has changed or a payer's attempt is open. */
export async function expireToken(ctx: Ctx, tx: Tx, id: string, now?: number): Promise<boolean> {
  const before = await lockTokenization(ctx, tx, id);
  if (
    before?.status !== "pending" ||
    before.attemptAt ||
    Date.parse(before.expiresAt) > (now ?? (await databaseNow(tx)))
  )
    return false;
  const row = await changeTokenization(ctx, tx, id, { status: "expired", notice: null }, true);
  await emit(ctx, tx, { type: "tokenization.expired", objectId: id, data: presentForEvent(row) });
  return true;
}

/** Expires claimed links in one transaction. A payer's open page is released by the look-ups of its attempt. */
export const expireLinks = (
  rows: readonly Row<typeof expiringLinks.table>[],
  requestId: string,
): Promise<void> =>
  withTransaction(async (tx) => {
    await assertHeld(tx, expiringLinks.table, rows);
    const now = await databaseNow(tx);
    await overSet(tx, rows, (row) =>
      expireLink(systemCtx(row, { kind: "clock" }, requestId), tx, row.id, now),
    );
  });

/** Expires claimed tokens in one transaction. */
export const expireTokens = (rows: readonly TokenizationRow[], requestId: string): Promise<void> =>
  withTransaction(async (tx) => {
    await assertHeld(tx, expiringTokenizations.table, rows);
    const now = await databaseNow(tx);
    await overSet(tx, rows, (row) =>
      expireToken(systemCtx(row, { kind: "clock" }, requestId), tx, row.id, now),
    );
  });
