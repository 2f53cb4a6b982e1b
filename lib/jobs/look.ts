import { log } from "@/lib/kernel/log";
import type { Job } from "./define";
import { unscopedHaveWork } from "./look-rows";

/** What one job has done is often work for another: an event for webhooks, say. */
const SOON_MS = 100;

/** Resolves after so many milliseconds, or when the worker stops. */
export type Pause = (ms: number) => Promise<void>;

/** What jobs wait for that have found nothing to do. */
export type Look = {
  /** Resolves when something of the job may be due. The next look is soon if the job has `worked` since it waited last. */
  due: (job: Job, worked: boolean) => Promise<void>;
  /** Looks until the worker stops. */
  go: (signal: AbortSignal) => Promise<void>;
};

/** One look for all jobs, every `everyMs`: an idle worker asks the database once, however many jobs there are. */
export function createLook(jobs: readonly Job[], everyMs: number, pause: Pause): Look {
  const waiting = new Map<Job, () => void>();
  let hurry: () => void = () => undefined;
  const wake = (job: Job) => {
    waiting.get(job)?.();
    waiting.delete(job);
  };
  return {
    due: (job, worked) => {
      if (worked) hurry();
      return new Promise((resolve) => waiting.set(job, resolve));
    },
    go: async (signal) => {
      while (!signal.aborted) {
        const hurried = new Promise<void>((resolve) => (hurry = resolve));
        await pause(Math.min(SOON_MS, everyMs));
        if (everyMs > SOON_MS) await Promise.race([hurried, pause(everyMs - SOON_MS)]);
        if (waiting.size === 0 || signal.aborted) continue;
        try {
          const found = await unscopedHaveWork(jobs.map(({ due }) => due));
          for (const [at, job] of jobs.entries()) if (found[at]) wake(job);
        } catch (error) {
          log.error({ err: error }, "the look for due work failed; each job looks for itself");
          for (const job of jobs) wake(job);
        }
      }
      for (const job of jobs) wake(job);
    },
  };
}
