import { eq, getTableColumns, inArray, sql } from "drizzle-orm";
import { togetherBy } from "@/db/batched";
import { db, type Tx } from "@/db/client";
import { jsonOf, nowOf } from "@/db/columns";
import { owned } from "@/db/owned";
import { setwise } from "@/db/sets";
import { ledgerEntries } from "@/db/schema/payments";
import { newId } from "@/lib/kernel/ids";
import type { Ctx } from "../context";

type Entry = Pick<typeof ledgerEntries.$inferInsert, "kind" | "account" | "amount" | "refundId">;
type Posting = {
  payment: { id: string; currency: string };
  postingId: string;
  entries: readonly Entry[];
};

const bookAll = setwise<Ctx, Posting, void>(async (ctx, tx, postings) => {
  const rows = postings.flatMap(({ payment, postingId, entries }) => {
    // Ids that follow each other keep a posting together in every list.
    const base = newId().slice(0, 22);
    const idAt = (index: number) => base + (entries.length - index).toString(16).padStart(2, "0");
    return entries.map((entry, index) => ({
      ...entry,
      id: idAt(index),
      businessId: ctx.businessId,
      mode: ctx.mode,
      postingId,
      paymentId: payment.id,
      currency: payment.currency,
    }));
  });
  // The database alone gives `seq`.
  const { seq: _, ...columns } = getTableColumns(ledgerEntries);
  const names = Object.values(columns).map(({ name }) => sql.identifier(name));
  const values = Object.entries(columns).map(([key, { name }]) =>
    key === "createdAt" ? nowOf(ctx) : sql.identifier(name),
  );
  await tx.execute(sql`
    insert into ${ledgerEntries} (${sql.join(names, sql`, `)})
    select ${sql.join(values, sql`, `)} from json_populate_recordset(null::${ledgerEntries}, ${jsonOf(ledgerEntries, rows)}::json)
    on conflict do nothing`);
  return [];
});

/** Books a posting: its entries sum to zero, and a posting that is booked already is left as it is. */
export async function book(
  ctx: Ctx,
  tx: Tx,
  payment: Posting["payment"],
  postingId: string,
  entries: readonly Entry[],
): Promise<void> {
  if (entries.reduce((sum, entry) => sum + entry.amount, 0) !== 0)
    throw new Error("a posting that does not sum to zero");
  await bookAll(ctx, tx, { payment, postingId, entries });
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
export const isFeeBooked = (ctx: Ctx, paymentId: string): Promise<boolean> =>
  feeTogether({ ctx, paymentId });

const feeTogether = togetherBy<{ ctx: Ctx; paymentId: string }, boolean>(
  ({ ctx }) => `${ctx.businessId} ${ctx.mode}`,
  async (list) => {
    const rows = await db
      .selectDistinct({ paymentId: ledgerEntries.paymentId })
      .from(ledgerEntries)
      .where(
        owned(
          list[0]?.ctx as Ctx,
          ledgerEntries,
          inArray(
            ledgerEntries.paymentId,
            list.map(({ paymentId }) => paymentId),
          ),
          eq(ledgerEntries.kind, "fee"),
        ),
      );
    const booked = new Set(rows.map(({ paymentId }) => paymentId));
    return list.map(({ paymentId }) => booked.has(paymentId));
  },
);
