import { log } from "./log";

const running = new Set<Promise<void>>();

/** Runs work that the caller does not wait for, so that its time shows in no answer. A failure is logged under `what`. */
export function inBackground(what: string, work: () => Promise<void>): void {
  const done: Promise<void> = work()
    .catch((error: unknown) => log.warn({ err: error }, `${what} failed`))
    .finally(() => running.delete(done));
  running.add(done);
}

/** Waits for the work that has been started. */
export async function backgroundDone(): Promise<void> {
  while (running.size > 0) await Promise.all(running);
}
