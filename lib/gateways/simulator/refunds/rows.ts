import { and, asc, eq, inArray, isNull, lte, sql } from "drizzle-orm";
import { db, type Tx } from "@/db/client";
import { simulatorRefunds as refunds, simulatorRequests as requests } from "@/db/schema/simulator";
import type { Due } from "@/lib/jobs/claim-rows";

export type Refund = typeof refunds.$inferSelect;
type NewRefund = Omit<typeof refunds.$inferInsert, "createdAt" | "settlesAt"> & {
  settlesInMs?: number;
};

/** Minor units refunded of a session so far, pending ones included; asked under the session's lock. */
export async function refundedAmount(
  tx: Tx,
  connectionId: string,
  sessionId: string,
): Promise<number> {
  const sums = await tx
    .select({ sum: sql<string>`coalesce(sum(${refunds.amount}), 0)` })
    .from(refunds)
    .where(
      and(
        eq(refunds.connectionId, connectionId),
        eq(refunds.sessionId, sessionId),
        isNull(refunds.refusedBecause),
      ),
    );
  return Number(sums[0]?.sum ?? 0);
}

export async function insertRefund(tx: Tx, { settlesInMs, ...row }: NewRefund): Promise<Refund> {
  const settlesAt =
    settlesInMs === undefined
      ? null
      : sql`now() + ${Math.round(settlesInMs)}::int * interval '1 millisecond'`;
  const made = await tx
    .insert(refunds)
    .values({ ...row, settlesAt })
    .returning();
  return made[0] as Refund;
}

export async function getRefund(
  tx: Tx,
  connectionId: string,
  id: string,
): Promise<Refund | undefined> {
  return (
    await tx
      .select()
      .from(refunds)
      .where(and(eq(refunds.connectionId, connectionId), eq(refunds.id, id)))
  )[0];
}

/** The refund a key asked for, of this reference. */
export async function refundByKey(
  connectionId: string,
  key: string,
  reference: string,
): Promise<Refund | undefined> {
  const found = await db
    .select({ refund: refunds })
    .from(requests)
    .innerJoin(
      refunds,
      and(eq(refunds.connectionId, requests.connectionId), eq(refunds.id, requests.subjectId)),
    )
    .where(
      and(
        eq(requests.connectionId, connectionId),
        eq(requests.key, key),
        eq(refunds.reference, reference),
      ),
    );
  return found[0]?.refund;
}

/** A refund with the key that asked for it. */
export type KeyedRefund = { key: string; refund: Refund };

/** The refunds of a reference, oldest first. */
export async function keyedRefunds(
  connectionId: string,
  reference: string,
): Promise<KeyedRefund[]> {
  return db
    .select({ key: requests.key, refund: refunds })
    .from(refunds)
    .innerJoin(
      requests,
      and(eq(requests.connectionId, refunds.connectionId), eq(requests.subjectId, refunds.id)),
    )
    .where(and(eq(refunds.connectionId, connectionId), eq(refunds.reference, reference)))
    .orderBy(asc(refunds.createdAt), asc(refunds.id));
}

/** Pending refunds that go through when their time has come. */
export const settlingRefunds: Due<typeof refunds> = {
  table: refunds,
  fairBy: [refunds.connectionId],
  moment: refunds.settlesAt,
  where: sql`${refunds.settlesAt} is not null`,
};

/** Settles the due pending refunds of a connection; only these ids when given. */
export async function settleDueRefunds(
  tx: Tx,
  connectionId: string,
  ids?: readonly string[],
): Promise<Refund[]> {
  return tx
    .update(refunds)
    .set({ settlesAt: null })
    .where(
      and(
        eq(refunds.connectionId, connectionId),
        lte(refunds.settlesAt, sql`now()`),
        ids && inArray(refunds.id, [...ids]),
      ),
    )
    .returning();
}

/** Makes the pending refunds of a connection due at once. */
export async function hurryRefunds(connectionId: string): Promise<void> {
  await db
    .update(refunds)
    .set({ settlesAt: sql`now()` })
    .where(and(eq(refunds.connectionId, connectionId), sql`${refunds.settlesAt} is not null`));
}
