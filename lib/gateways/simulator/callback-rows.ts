import { and, eq, sql } from "drizzle-orm";
import { db, type Tx } from "@/db/client";
import { simulatorCallbacks as callbacks } from "@/db/schema/simulator";
import type { Due, Row } from "@/lib/jobs/claim-rows";
import { inMs } from "./rows";
import { maxCallbackTries } from "./rules";

export type DueCallback = Row<typeof callbacks>;

/** Callbacks that wait to be sent. */
export const dueCallbacks: Due<typeof callbacks> = {
  table: callbacks,
  fairBy: [callbacks.connectionId],
  moment: callbacks.dueAt,
  where: sql`${callbacks.deliveredAt} is null and ${callbacks.tries} < ${sql.raw(String(maxCallbackTries))}`,
};

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

/** Writes what became of a try; without `afterMs` it was delivered. Does nothing when another worker has claimed the callback. */
export async function closeCallback(callback: DueCallback, afterMs?: number): Promise<void> {
  await db
    .update(callbacks)
    .set({
      tries: sql`${callbacks.tries} + 1`,
      ...(afterMs === undefined ? { deliveredAt: sql`now()` } : { dueAt: inMs(afterMs) }),
    })
    .where(
      and(
        eq(callbacks.connectionId, callback.connectionId),
        eq(callbacks.id, callback.id),
        eq(callbacks.fence, callback.fence),
      ),
    );
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
