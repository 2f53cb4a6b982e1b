import { type Tx, withTransaction } from "@/db/client";
import type { EventConsumer, eventQueue } from "@/db/schema/events";
import { deleteHeld } from "@/lib/jobs/claim-rows";
import { defineJob, type Job } from "@/lib/jobs/define";
import { dueEvents, type QueuedEvent } from "./queue-rows";

type Consumer<T> = {
  name: string;
  consumer: EventConsumer;
  batch: number;
  /** Consumes events of one business in the transaction that takes them from the queue. */
  consume: (tx: Tx, queued: readonly QueuedEvent[], requestId: string) => Promise<T>;
  /** Goes on with what `consume` returned, once that is committed. */
  afterwards?: (consumed: T, requestId: string) => Promise<unknown>;
};

/** A job that consumes each event of the log once. */
export const defineConsumer = <T>({
  name,
  consumer,
  batch,
  consume,
  afterwards,
}: Consumer<T>): Job<typeof eventQueue> => {
  const due = dueEvents(consumer);
  return defineJob({
    name,
    due,
    batch,
    perTenant: 1,
    work: async (rows, { requestId }) => {
      const consumed = await withTransaction(async (tx) => {
        await deleteHeld(tx, due.table, rows);
        return consume(tx, rows, requestId);
      });
      await afterwards?.(consumed, requestId);
    },
  });
};
