import { and, eq, sql } from "drizzle-orm";
import { db } from "@/db/client";
import { gatewayEvents } from "@/db/schema/payments";
import { leaseSeconds } from "../businesses/line";
import { checkIn } from "./rows";

export type CallbackRow = typeof gatewayEvents.$inferSelect;
type NewCallback = Pick<
  CallbackRow,
  | "businessId"
  | "connectionId"
  | "eventId"
  | "type"
  | "reference"
  | "gatewayId"
  | "amount"
  | "currency"
  | "problem"
>;

/** Stores a verified callback once; false when it is a repeat. One with a problem is set aside for people to look at. */
export async function unscopedStoreCallback(row: NewCallback): Promise<boolean> {
  const made = await db
    .insert(gatewayEvents)
    .values({
      ...row,
      ...(row.problem === null
        ? { nextTryAt: sql`now() + interval '20 seconds'` }
        : { state: "quarantined" as const }),
    })
    .onConflictDoNothing()
    .returning({ eventId: gatewayEvents.eventId });
  return made.length === 1;
}

/**
 * Callbacks that were stored but not worked: the process died, or their payment was not there yet. One leads to a look at its payment (3 answers), at a
 * refund of it (2) and at what followed (1); one that takes longer is worked twice, which changes nothing.
 */
export async function unscopedClaimCallbacks(limit: number): Promise<CallbackRow[]> {
  const due = db
    .select({
      businessId: gatewayEvents.businessId,
      connectionId: gatewayEvents.connectionId,
      eventId: gatewayEvents.eventId,
    })
    .from(gatewayEvents)
    .where(sql`${gatewayEvents.nextTryAt} <= now()`)
    .orderBy(gatewayEvents.nextTryAt)
    .limit(limit)
    .for("update", { skipLocked: true });
  return db
    .update(gatewayEvents)
    .set({ nextTryAt: sql`now() + make_interval(secs => ${leaseSeconds(6)})` })
    .where(
      sql`(${gatewayEvents.businessId}, ${gatewayEvents.connectionId}, ${gatewayEvents.eventId}) in (with due as materialized ${due} select * from due)`,
    )
    .returning();
}

/** Closes a callback, or plans another try in `seconds`. */
export async function unscopedCloseCallback(
  row: Pick<CallbackRow, "businessId" | "connectionId" | "eventId">,
  state: CallbackRow["state"],
  seconds: number | null,
  problem: string | null = null,
): Promise<void> {
  await db
    .update(gatewayEvents)
    .set({ state, problem, tries: sql`${gatewayEvents.tries} + 1`, nextTryAt: checkIn(seconds) })
    .where(
      and(
        eq(gatewayEvents.businessId, row.businessId),
        eq(gatewayEvents.connectionId, row.connectionId),
        eq(gatewayEvents.eventId, row.eventId),
      ),
    );
}
