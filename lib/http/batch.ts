import { backgroundDone } from "@/lib/kernel/background";
import { log } from "@/lib/kernel/log";

const everyMs = 2_000;
const flushes = new Set<() => Promise<void>>();
let timer: NodeJS.Timeout | undefined;

function startTimer(): void {
  if (timer === undefined) timer = setInterval(() => void flushBatches(), everyMs).unref();
}

/** Notes that are written every two seconds, off the request's path; `what` names them in the log when that fails. */
export function batch(
  what: string,
  write: (ids: string[]) => Promise<void>,
): { note: (id: string) => void } {
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
      startTimer();
    },
  };
}

/** The same for whole rows: at most `size` to a statement, one statement at a time. Where `most` wait already, a row is dropped rather than memory filled. */
export function rowBatch<T>(
  what: string,
  size: number,
  write: (rows: T[]) => Promise<void>,
): { note: (most: number, row: () => T) => void } {
  let waiting: T[] = [];
  let dropped = 0;
  let writing: Promise<void> | undefined;
  const drain = async () => {
    while (waiting.length > 0) {
      const rows = waiting.slice(0, size);
      waiting = waiting.slice(size);
      await write(rows).catch((error: unknown) =>
        log.warn({ err: error, rows: rows.length }, `${what} not written`),
      );
    }
    if (dropped > 0) log.warn({ rows: dropped }, `${what} dropped`);
    dropped = 0;
  };
  const flush = () => {
    writing ??= drain().finally(() => (writing = undefined));
    return writing;
  };
  flushes.add(flush);
  return {
    note: (most, row) => {
      if (waiting.length >= most) return void dropped++;
      waiting.push(row());
      startTimer();
    },
  };
}

/** Writes what is noted; called every two seconds and before the process ends. */
export async function flushBatches(): Promise<void> {
  await Promise.all([backgroundDone(), ...[...flushes].map((flush) => flush())]);
}
