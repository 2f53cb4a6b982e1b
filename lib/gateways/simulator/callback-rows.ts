import { and, asc, eq, inArray, isNull, lt, lte, sql } from "drizzle-orm";
import { db, type Tx } from "@/db/client";
import { simulatorCallbacks as callbacks } from "@/db/schema/simulator";
import { inMs, ofConnection } from "./rows";

export type DueCallback = { connectionId: string; id: string; body: string; tries: number };

export async function insertCallback(
  tx: Tx,
  {
    dueInMs,
    ...row
  }: {
    connectionId: string;
    id: string;
    type: string;
    reference: string;
    body: string;
    dueInMs: number;
  },
): Promise<void> {
  await tx.insert(callbacks).values({ ...row, dueAt: inMs(dueInMs) });
}

/** Claims callbacks that are due by counting a try and moving them `leaseMs` ahead, so that a sender that dies only delays them. */
export async function claimCallbacks(options: {
  limit: number;
  leaseMs: number;
  maxTries: number;
  connectionId?: string;
}): Promise<DueCallback[]> {
  // A common table, since a subquery with a limit may be run more than once by the planner and then claim too much.
  const due = db.$with("due").as(
    db
      .select({ id: callbacks.id })
      .from(callbacks)
      .where(
        and(
          isNull(callbacks.deliveredAt),
          lte(callbacks.dueAt, sql`now()`),
          lt(callbacks.tries, options.maxTries),
          ofConnection(callbacks.connectionId, options.connectionId),
        ),
      )
      .orderBy(asc(callbacks.dueAt))
      .limit(options.limit)
      .for("update", { skipLocked: true }),
  );
  return db
    .with(due)
    .update(callbacks)
    .set({ tries: sql`${callbacks.tries} + 1`, dueAt: inMs(options.leaseMs) })
    .where(inArray(callbacks.id, db.select({ id: due.id }).from(due)))
    .returning({
      connectionId: callbacks.connectionId,
      id: callbacks.id,
      body: callbacks.body,
      tries: callbacks.tries,
    });
}

const thisCallback = (callback: DueCallback) =>
  and(eq(callbacks.connectionId, callback.connectionId), eq(callbacks.id, callback.id));

export async function markDelivered(callback: DueCallback): Promise<void> {
  await db.update(callbacks).set({ deliveredAt: sql`now()` }).where(thisCallback(callback));
}

export async function retryCallback(callback: DueCallback, afterMs: number): Promise<void> {
  await db
    .update(callbacks)
    .set({ dueAt: inMs(afterMs) })
    .where(and(thisCallback(callback), isNull(callbacks.deliveredAt)));
}

/** Makes the callbacks of a reference due again at once, delivered or not. The count is how many. */
export async function resetCallbacks(connectionId: string, reference: string): Promise<number> {
  const again = await db
    .update(callbacks)
    .set({ deliveredAt: null, tries: 0, dueAt: sql`now()` })
    .where(and(eq(callbacks.connectionId, connectionId), eq(callbacks.reference, reference)))
    .returning({ id: callbacks.id });
  return again.length;
}
