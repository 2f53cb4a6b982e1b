import { log } from "@/lib/kernel/log";

const everyMs = 2_000;
const flushes = new Set<() => Promise<void>>();
let ticking = false;

/** Notes that are written every two seconds, off the request's path; `what` names them in the log when that fails. */
export function batch(what: string, write: (ids: string[]) => Promise<void>): { note: (id: string) => void } {
  let noted = new Set<string>();
  flushes.add(async () => {
    if (noted.size === 0) return;
    const ids = [...noted];
    noted = new Set();
    await write(ids).catch((error: unknown) => log.warn({ err: error }, `${what} not written`));
  });
  return {
    note: (id) => {
      noted.add(id);
      if (ticking) return;
      ticking = true;
      setInterval(() => void flushBatches(), everyMs).unref();
    },
  };
}

/** Writes what is noted; called every two seconds and before the process ends. */
export async function flushBatches(): Promise<void> {
  await Promise.all([...flushes].map((flush) => flush()));
}
