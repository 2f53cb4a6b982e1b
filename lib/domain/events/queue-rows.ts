import { and, asc, eq, getTableColumns, sql } from "drizzle-orm";
import type { Executor, Tx } from "@/db/client";
import { owned } from "@/db/owned";
import { type EventConsumer, eventQueue, events } from "@/db/schema/events";
import type { Due, Row } from "@/lib/jobs/claim-rows";
import type { Ctx } from "../context";
import { openEvents } from "../payers/rows";
import type { EventRow } from "./rows";

export type QueuedEvent = Row<typeof eventQueue>;

/** Events that this consumer has not consumed. */
export const dueEvents = (consumer: EventConsumer): Due<typeof eventQueue> => ({
  table: eventQueue,
  fairBy: [eventQueue.businessId],
  moment: eventQueue.dueAt,
  // Written out, as a plan for any consumer could not use its part of the index.
  where: sql`${eventQueue.consumer} = ${sql.raw(`'${consumer}'`)}`,
});

/** The events of queued rows of one business, in the order of their commits as far as it is known. */
export async function queuedEvents(
  tx: Executor,
  rows: readonly Pick<QueuedEvent, "businessId" | "eventId">[],
): Promise<EventRow[]> {
  const [first] = rows;
  if (!first) return [];
  const ids = rows.map(({ eventId }) => eventId);
  const found = await tx
    .select(getTableColumns(events))
    .from(events)
    .where(
      and(
        eq(events.businessId, first.businessId),
        sql`${events.id} = any(${sql.param(ids)}::text[])`,
      ),
    )
    .orderBy(asc(events.xid), asc(events.seq));
  return openEvents(found, tx);
}

/** Events of this business and mode that a consumer has not consumed, also those that a worker has claimed. */
export async function unconsumedEvents(
  ctx: Ctx,
  tx: Tx,
  consumer: EventConsumer,
): Promise<EventRow[]> {
  const found = await tx
    .select(getTableColumns(events))
    .from(events)
    .innerJoin(
      eventQueue,
      and(
        eq(eventQueue.consumer, consumer),
        eq(eventQueue.businessId, events.businessId),
        eq(eventQueue.eventId, events.id),
      ),
    )
    .where(owned(ctx, events))
    .orderBy(asc(events.xid), asc(events.seq));
  return openEvents(found, tx);
}
