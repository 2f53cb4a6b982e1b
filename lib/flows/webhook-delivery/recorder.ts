import { type Outcome, unscopedRecord } from "@/lib/domain/webhooks/delivery-rows";
import { writeOutcome } from "@/lib/jobs/outcome";

type Waiting = { outcome: Outcome; resolve: () => void; reject: (error: unknown) => void };

const MAX_OUTCOMES = 200;
const outcomesOf = (list: readonly Waiting[]) => list.map(({ outcome }) => outcome);

/**
 * Writes outcomes, all that came while the last write was under way in one statement. While the database is away it tries for some seconds. Those
 * of rows that are locked are written apart: other businesses do not wait for them.
 */
export function createRecorder(): { record: (outcome: Outcome) => Promise<void> } {
  let waiting: Waiting[] = [];
  let writing = false;

  const write = async (list: readonly Waiting[], waits: boolean): Promise<void> => {
    try {
      const written = await writeOutcome(() => unscopedRecord(outcomesOf(list), { waits }));
      const left = list.filter(({ outcome }) => !waits && !written.has(outcome.id));
      if (left.length > 0) void write(left, true);
      for (const one of list) if (!left.includes(one)) one.resolve();
    } catch (error) {
      for (const { reject } of list) reject(error);
    }
  };

  const drain = async (): Promise<void> => {
    writing = true;
    while (waiting.length > 0) {
      const taken = waiting.slice(0, MAX_OUTCOMES);
      waiting = waiting.slice(MAX_OUTCOMES);
      await write(taken, false);
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
