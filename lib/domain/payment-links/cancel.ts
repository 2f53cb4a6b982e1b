import type { Tx } from "@/db/client";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { conflict, notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { previousOf } from "../events/changes";
import { emit } from "../events/emit";
import { commit } from "../idempotency/commit";
import { assertSeen } from "../versions/edits";
import { assertClockKept } from "../test-clocks/follow";
import { atClock } from "../test-clocks/rows";
import { presentLink } from "./present";
import { replanReminders } from "./reminder-rows";
import { changeLink, type LinkRow, lockLink, lockOpenPeriodLinks } from "./rows";
import { assertChangeable, assertPayerKept } from "./rules";

/** Cancels a link: it takes no money until it is reopened. Throws 404, 409. */
export async function cancel(caller: Ctx, id: string): Promise<PaymentLink> {
  return commit(caller, async (tx) => {
    const before = await lockLink(caller, tx, id);
    if (!before) throw notFound();
    const ctx = await atClock(caller, tx, before.testClockId);
    await assertSeen(ctx, tx, before, () => presentLink(before));
    assertChangeable(before);
    if (before.status === "Cancelled") throw conflict("This payment link is already cancelled.");
    return emitLinkCancelled(
      ctx,
      tx,
      before,
      await changeLink(ctx, tx, id, { status: "Cancelled" }),
    );
  });
}

/** Writes the event of a link that this transaction cancelled. Returns the link as it now is. */
export async function emitLinkCancelled(
  ctx: Ctx,
  tx: Tx,
  before: LinkRow,
  row: LinkRow,
): Promise<PaymentLink> {
  const data = presentLink(row);
  await emit(ctx, tx, {
    type: "payment_link.cancelled",
    objectId: row.id,
    data,
    previous: previousOf(presentLink(before), data),
  });
  return data;
}

/** Reopens a cancelled link. If its expiry has passed, the clock expires it again. Throws 404, 409. */
export async function reopen(caller: Ctx, id: string): Promise<PaymentLink> {
  return commit(caller, async (tx) => {
    const before = await lockLink(caller, tx, id);
    if (!before) throw notFound();
    const ctx = await atClock(caller, tx, before.testClockId);
    await assertSeen(ctx, tx, before, () => presentLink(before));
    if (before.subscriptionId)
      throw conflict("This payment link belongs to a subscription period and cannot be changed.");
    if (before.status !== "Cancelled")
      throw conflict("Only a cancelled payment link can be reopened.");
    assertPayerKept(before);
    await assertClockKept(ctx, tx, before.testClockId);
    const row = await changeLink(ctx, tx, id, { status: "Active" });
    await replanReminders(ctx, tx, before, row);
    const data = presentLink(row);
    await emit(ctx, tx, {
      type: "payment_link.reopened",
      objectId: id,
      data,
      previous: previousOf(presentLink(before), data),
    });
    return data;
  });
}

/**
 * Cancels the open period links of a subscription that ends. A payer may be at the gateway for one: returns the ids of those, for the
 * caller to release there; money that arrives all the same is flagged as late. One with a payment in process follows that payment.
 */
export async function cancelPeriodLinks(
  ctx: Ctx,
  tx: Tx,
  subscriptionId: string,
): Promise<string[]> {
  const atGateway: string[] = [];
  for (const link of await lockOpenPeriodLinks(ctx, tx, subscriptionId)) {
    if (link.status !== "Active") continue;
    const cancelled = await changeLink(ctx, tx, link.id, { status: "Cancelled" });
    await emitLinkCancelled(ctx, tx, link, cancelled);
    if (link.openPaymentId) atGateway.push(link.id);
  }
  return atGateway;
}
