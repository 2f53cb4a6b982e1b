import { setTimeout as pause } from "node:timers/promises";
import { until } from "../patroni/cluster";
import { told } from "../proof";
import { shuffled } from "./random";

/** Something that goes wrong, and is over when `run` returns. */
export type Disturbance = {
  name: string;
  run: () => Promise<void>;
};
/** How often each came, the seconds of the longest, and the longest time without an acknowledged write meanwhile. */
export type Tally = Map<string, { count: number; longestSeconds: number; silentSeconds: number }>;

type Options = {
  random: () => number;
  pauseSeconds: readonly [shortest: number, longest: number];
  /** Whether the drill's time is over. */
  isOver: () => boolean;
  /** Seconds since the last acknowledged write. With it a disturbance lasts until writes are back. */
  silent?: () => number;
};

const LOOK_MS = 250;
const BACK_SECONDS = 1.5;
const PATIENCE_SECONDS = 120;

/** Runs them one after the other in a random order until the time is over, each once at least. Each comes once before any comes again. */
export async function disturb(
  list: readonly Disturbance[],
  tally: Tally,
  { random, pauseSeconds: [shortest, longest], isOver, silent = () => 0 }: Options,
): Promise<void> {
  for (let round = 0; round === 0 || !isOver(); round++) {
    for (const { name, run } of shuffled(list, random)) {
      if (round > 0 && isOver()) return;
      await pause((shortest + (longest - shortest) * random()) * 1_000);
      const began = performance.now();
      const silentSeconds = await longestSilence(run, silent);
      const seconds = (performance.now() - began) / 1_000;
      const before = tally.get(name);
      tally.set(name, {
        count: (before?.count ?? 0) + 1,
        longestSeconds: Math.max(before?.longestSeconds ?? 0, seconds),
        silentSeconds: Math.max(before?.silentSeconds ?? 0, silentSeconds),
      });
    }
  }
}

/** Runs something and waits until writes are back; returns the longest time without one. */
async function longestSilence(run: () => Promise<void>, silent: () => number): Promise<number> {
  let longest = 0;
  const timer = setInterval(() => {
    longest = Math.max(longest, silent());
  }, LOOK_MS);
  try {
    await run();
    await until(
      "acknowledged write",
      PATIENCE_SECONDS,
      async () => silent() < BACK_SECONDS || undefined,
    );
  } finally {
    clearInterval(timer);
  }
  return longest;
}

/** Prints what came. `mostSilent` are the seconds without an acknowledged write that are allowed, by name. */
export function tellDisturbances(tally: Tally, mostSilent?: (name: string) => number): void {
  for (const [name, { count, longestSeconds, silentSeconds }] of [...tally].sort(([a], [b]) =>
    a < b ? -1 : 1,
  )) {
    const times = `${count} ${count === 1 ? "time" : "times"}, all back after at most ${longestSeconds.toFixed(1)} s`;
    if (!mostSilent) told(name, times);
    else {
      const most = mostSilent(name);
      told(
        name,
        `${times}; without a write for ${silentSeconds.toFixed(1)} s, at most ${most}`,
        silentSeconds <= most,
      );
    }
  }
}
