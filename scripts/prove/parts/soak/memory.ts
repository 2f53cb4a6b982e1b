import { readFileSync } from "node:fs";

const KIB = 1_024;

/** The memory of a process at a moment, milliseconds of `performance.now()`. */
export type Sample = { atMs: number; pid: number; bytes: number };
/** Shares of the time in which samples are compared. */
export type Window = readonly [from: number, to: number];
export type Growth = { firstBytes: number; lastBytes: number; share: number };

/** The memory of a process in bytes, its part of shared pages and what is swapped out included. Undefined once it has ended. */
export function memoryOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    const kib = [...text.matchAll(/^(?:Pss|SwapPss): +(\d+) kB$/gm)].map(([, digits]) =>
      Number(digits),
    );
    return kib.reduce((sum, one) => sum + one, 0) * KIB;
  } catch {
    return undefined;
  }
}

/** In NODE_OPTIONS: the process collects its garbage at SIGUSR2. Samples then differ by what is in use, not by when V8 collected last. */
export const COLLECTS =
  "--expose-gc --import=data:text/javascript,process.on(%22SIGUSR2%22,()=>gc())";
const COLLECTED_MS = 1_000;

/** Asks for a collection. Only a process that was there at the sample before is sure to have loaded what listens. */
function collect(pid: number, before: Sample | undefined): void {
  if (before?.pid !== pid) return;
  try {
    process.kill(pid, "SIGUSR2");
  } catch {
    // It has ended.
  }
}

/** Takes a sample of each process again and again until stopped, each a second after the process was asked for a collection. */
export function sampleMemory(
  processes: readonly { name: string; pid: () => number | undefined }[],
  everyMs: number,
): { samples: ReadonlyMap<string, Sample[]>; stop: () => void } {
  const samples = new Map<string, Sample[]>(processes.map(({ name }) => [name, []]));
  const sample = () => {
    for (const { name, pid: pidOf } of processes) {
      const pid = pidOf();
      const bytes = pid === undefined ? undefined : memoryOf(pid);
      if (pid !== undefined && bytes)
        samples.get(name)?.push({ atMs: performance.now(), pid, bytes });
    }
  };
  const timer = setInterval(() => {
    for (const { name, pid: pidOf } of processes) {
      const pid = pidOf();
      if (pid !== undefined) collect(pid, samples.get(name)?.at(-1));
    }
    setTimeout(sample, COLLECTED_MS);
  }, everyMs);
  return { samples, stop: () => clearInterval(timer) };
}

/**
 * Compares the medians of two windows of the time from the first to the last sample. Throws when a window has no sample, or when the
 * process was another one: a new process is small.
 */
export function growthOf(samples: readonly Sample[], first: Window, last: Window): Growth {
  const [from = 0, to = 0] = [samples[0]?.atMs, samples.at(-1)?.atMs];
  const within = ([start, end]: Window) =>
    samples.filter(
      ({ atMs }) => atMs >= from + (to - from) * start && atMs <= from + (to - from) * end,
    );
  const [before, after] = [within(first), within(last)];
  if (before.length === 0 || after.length === 0) throw new Error("no samples of its memory");
  if (new Set([...before, ...after].map(({ pid }) => pid)).size > 1)
    throw new Error("the process was started again between the samples");
  const [firstBytes, lastBytes] = [median(before), median(after)];
  return { firstBytes, lastBytes, share: lastBytes / firstBytes - 1 };
}

function median(samples: readonly Sample[]): number {
  const sorted = samples.map(({ bytes }) => bytes).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
