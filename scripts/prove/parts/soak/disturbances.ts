import { setTimeout as pause } from "node:timers/promises";
import { told } from "../proof";
import { shuffled } from "./random";

/** Something that goes wrong, and is over when `run` returns. */
export type Disturbance = {
  name: string;
  run: () => Promise<void>;
};
/** How often each came, and the seconds of the longest. */
export type Tally = Map<string, { count: number; longestSeconds: number }>;

type Options = {
  random: () => number;
  pauseSeconds: readonly [shortest: number, longest: number];
  /** Whether the drill's time is over. */
  isOver: () => boolean;
};

/** Runs them one after the other in a random order until the time is over, each once at least. Each comes once before any comes again. */
export async function disturb(
  list: readonly Disturbance[],
  tally: Tally,
  { random, pauseSeconds: [shortest, longest], isOver }: Options,
): Promise<void> {
  for (let round = 0; round === 0 || !isOver(); round++) {
    for (const { name, run } of shuffled(list, random)) {
      if (round > 0 && isOver()) return;
      await pause((shortest + (longest - shortest) * random()) * 1_000);
      const began = performance.now();
      await run();
      const seconds = (performance.now() - began) / 1_000;
      const { count = 0, longestSeconds = 0 } = tally.get(name) ?? {};
      tally.set(name, {
        count: count + 1,
        longestSeconds: Math.max(longestSeconds, seconds),
      });
    }
  }
}

export function tellDisturbances(tally: Tally): void {
  for (const [name, { count, longestSeconds }] of [...tally].sort(([a], [b]) => (a < b ? -1 : 1)))
    told(
      name,
      `${count} ${count === 1 ? "time" : "times"}, until all was back at most ${longestSeconds.toFixed(1)} s`,
    );
}
