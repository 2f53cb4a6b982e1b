import { type Tx, withTransaction } from "@/db/client";
import type { EventConsumer, eventQueue } from "@/db/schema/events";
import { assertHeld, deleteHeld } from "@/lib/jobs/claim-rows";
import { defineJob, type Job } from "@/lib/jobs/define";
import { dueEvents, type QueuedEvent } from "./queue-rows";

type Consumer<T> = {
  name: string;
  consumer: EventConsumer;
  batch: number;
  /** Consumes events of one business in the transaction that takes them from the queue. */
  consume: (tx: Tx, queued: readonly QueuedEvent[], requestId: string) => Promise<T>;
  /**
   * What goes on with the result of `consume`, once that is committed, unless it `isDone`. The events stay in the queue until `run` ends: after a
   * failure or a crash `consume` gets them again, and returns what is left to do.
   */
  afterwards?: {
    isDone: (consumed: T) => boolean;
    run: (consumed: T, requestId: string) => Promise<unknown>;
  };
};

/** A job that consumes each event of the log once; with `afterwards`, again where that has failed. */
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
      if (!afterwards)
        return withTransaction(async (tx) => {
          await deleteHeld(tx, due.table, rows);
          await consume(tx, rows, requestId);
        });
      const consumed = await withTransaction(async (tx) => {
        const result = await consume(tx, rows, requestId);
        await (afterwards.isDone(result) ? deleteHeld : assertHeld)(tx, due.table, rows);
        return result;
      });
      if (afterwards.isDone(consumed)) return;
      await afterwards.run(consumed, requestId);
      await withTransaction((tx) => deleteHeld(tx, due.table, rows));
    },
  });
};
