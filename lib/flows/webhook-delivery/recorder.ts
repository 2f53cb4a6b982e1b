import { setTimeout as pause } from "node:timers/promises";
import { type Outcome, unscopedRecord } from "@/lib/domain/webhooks/delivery-rows";

type Waiting = { outcome: Outcome; resolve: () => void; reject: (error: unknown) => void };

const MAX_OUTCOMES = 200;
const tries = 5;

/** Writes outcomes, all that came while the last write was under way in one statement. While the database is away it tries for some seconds. */
export function createRecorder(): { record: (outcome: Outcome) => Promise<void> } {
  let waiting: Waiting[] = [];
  let writing = false;

  const write = async (outcomes: readonly Outcome[]): Promise<void> => {
    for (let failures = 0; ; ) {
      try {
        return await unscopedRecord(outcomes);
      } catch (error) {
        if (++failures === tries) throw error;
        await pause(1_000);
      }
    }
  };

  const drain = async (): Promise<void> => {
    writing = true;
    while (waiting.length > 0) {
      const taken = waiting.slice(0, MAX_OUTCOMES);
      waiting = waiting.slice(MAX_OUTCOMES);
      try {
        await write(taken.map(({ outcome }) => outcome));
        for (const { resolve } of taken) resolve();
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
    }
    writing = false;
  };

  return {
    record: (outcome) =>
      new Promise((resolve, reject) => {
        waiting.push({ outcome, resolve, reject });
        if (!writing) void drain();
      }),
  };
}
