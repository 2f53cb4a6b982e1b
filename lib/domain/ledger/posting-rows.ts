import { eq } from "drizzle-orm";
import { db, type Tx } from "@/db/client";
import { nowOf } from "@/db/columns";
import { owned } from "@/db/owned";
import { ledgerEntries } from "@/db/schema/payments";
import { newId } from "@/lib/kernel/ids";
import type { Ctx } from "../context";

/** Books a posting: its entries sum to zero, and a posting that is booked already is left as it is. */
export async function book(
  ctx: Ctx,
  tx: Tx,
  payment: { id: string; currency: string },
  postingId: string,
  entries: ReadonlyArray<
    Pick<typeof ledgerEntries.$inferInsert, "kind" | "account" | "amount" | "refundId">
  >,
): Promise<void> {
  if (entries.reduce((sum, entry) => sum + entry.amount, 0) !== 0)
    throw new Error("a posting that does not sum to zero");
  // Ids that follow each other keep a posting together in every list.
  const base = newId().slice(0, 22);
  const idAt = (index: number) => base + (entries.length - index).toString(16).padStart(2, "0");
  await tx
    .insert(ledgerEntries)
    .values(
      entries.map((entry, index) => ({
        ...entry,
        id: idAt(index),
        businessId: ctx.businessId,
        mode: ctx.mode,
        postingId,
        paymentId: payment.id,
        currency: payment.currency,
        createdAt: nowOf(ctx),
      })),
    )
    .onConflictDoNothing();
}

/** What of a kind is booked for a payment, by its postings' names. */
export async function postingsOf(
  ctx: Ctx,
  tx: Tx,
  paymentId: string,
  kind: (typeof ledgerEntries.$inferSelect)["kind"],
): Promise<Set<string>> {
  const rows = await tx
    .selectDistinct({ id: ledgerEntries.postingId })
    .from(ledgerEntries)
    .where(
      owned(
        ctx,
        ledgerEntries,
        eq(ledgerEntries.paymentId, paymentId),
        eq(ledgerEntries.kind, kind),
      ),
    );
  return new Set(rows.map(({ id }) => id));
}

/** Whether what the gateway keeps for itself is in the ledger. */
export async function isFeeBooked(ctx: Ctx, paymentId: string): Promise<boolean> {
  return (
    (await db.$count(
      ledgerEntries,
      owned(
        ctx,
        ledgerEntries,
        eq(ledgerEntries.paymentId, paymentId),
        eq(ledgerEntries.kind, "fee"),
      ),
    )) > 0
  );
}
