import type { Key } from "@/db/touch";
import { backgroundDone } from "@/lib/kernel/background";
import { log } from "@/lib/kernel/log";

const WITHIN_MS = 2_000;
/** So many notes at most wait for another try. */
const MAX_NOTES = 10_000;
const flushes = new Set<() => Promise<void>>();

/**
 * Notes on rows that are written within two seconds, off the request's path; `what` names them in the log when that fails. Those of a write that
 * failed, and those that it left out and returns, are written with the next ones.
 */
export function batch(
  what: string,
  write: (rows: Key[]) => Promise<readonly Key[]>,
): { note: (row: Key) => void } {
  let noted = new Map<string, Key>();
  const note = ({ businessId, id }: Key) => {
    if (noted.size === 0) setTimeout(flush, WITHIN_MS).unref();
    noted.set(id, { businessId, id });
  };
  const flush = async () => {
    if (noted.size === 0) return;
    const rows = [...noted.values()];
    noted = new Map();
    const left = await write(rows).catch((error: unknown) => {
      log.warn({ err: error }, `${what} not written`);
      return rows;
    });
    for (const row of left) if (noted.size < MAX_NOTES) note(row);
  };
  flushes.add(flush);
  return { note };
}

const TICK_MS = 20;
const MAX_ROWS = 200;
const MIN_ROWS = 10;
/** In this many ticks all is written that waits now: two seconds. */
const TICKS = 100;
const MAX_WAITING_ROWS = 20_000;
const MAX_WAITING_LENGTH = 64_000_000;
/** Of a flood, what was changed or refused is worth more than what was only read. */
const READS = { maxBurst: 1_000, perMs: 0.25 };

/**
 * The same for whole rows, a few at a time: calls wait for the processor time that a statement takes. Of rows about reads it takes 1,000 at
 * once and 250 a second, fewer than it writes, so that none waits long: what stays in memory makes its collector work. Of other rows 20,000
 * may wait, with texts of 64 million characters; `lengthOf` is that of a row's texts. The rest is dropped.
 */
export function rowBatch<T>(
  what: string,
  write: (rows: T[]) => Promise<void>,
  lengthOf: (row: T) => number,
): { note: (isRead: boolean, row: () => T) => void } {
  let waiting: T[] = [];
  let length = 0;
  let dropped = 0;
  let ticking = false;
  let writing = Promise.resolve();
  let reads = READS.maxBurst;
  let counted = performance.now();
  const mayTake = (isRead: boolean) => {
    if (waiting.length >= MAX_WAITING_ROWS || length >= MAX_WAITING_LENGTH) return false;
    if (!isRead) return true;
    const now = performance.now();
    reads = Math.min(READS.maxBurst, reads + (now - counted) * READS.perMs);
    counted = now;
    if (reads < 1) return false;
    reads--;
    return true;
  };
  const writeSome = async (size: number) => {
    const rows = waiting.slice(0, size);
    waiting = waiting.slice(size);
    for (const row of rows) length -= lengthOf(row);
    try {
      if (rows.length > 0) await write(rows);
    } catch (error) {
      log.warn({ err: error, rows: rows.length }, `${what} not written`);
    }
    if (waiting.length > 0 || dropped === 0) return;
    log.warn({ rows: dropped }, `${what} dropped`);
    dropped = 0;
  };
  /** One statement after the other. */
  const enqueue = (size: () => number) => (writing = writing.then(() => writeSome(size())));
  const tick = async () => {
    const began = performance.now();
    await enqueue(() => Math.max(MIN_ROWS, Math.ceil(waiting.length / TICKS)));
    if (waiting.length > 0)
      setTimeout(tick, Math.max(0, began + TICK_MS - performance.now())).unref();
    else ticking = false;
  };
  flushes.add(async () => {
    do await enqueue(() => MAX_ROWS);
    while (waiting.length > 0);
  });
  return {
    note: (isRead, row) => {
      if (!mayTake(isRead)) return void dropped++;
      const taken = row();
      waiting.push(taken);
      length += lengthOf(taken);
      if (ticking) return;
      ticking = true;
      setTimeout(tick, TICK_MS).unref();
    },
  };
}

/** Writes all that is noted; called before the process ends. */
export async function flushBatches(): Promise<void> {
  await Promise.all([backgroundDone(), ...[...flushes].map((flush) => flush())]);
}
