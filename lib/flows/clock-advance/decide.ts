export type Facts = {
  /** When the clock's next period is due; null when it is due at once, undefined when the clock has none until its new time. */
  dueAt: string | null | undefined;
  /** The clock's time. */
  time: string;
  /** Periods that this slice and the whole advance have run. */
  ranInSlice: number;
  ranInAll: number;
  isSliceOver: boolean;
};
export type Limits = { slicePeriods: number; pauseAfter: number };

export type Decision =
  /** Nothing is due until the new time: the advance ends. */
  | { kind: "finish" }
  /** Too many periods: the advance waits for someone to go on. */
  | { kind: "pause" }
  /** The next slice goes on, after other businesses. */
  | { kind: "yield" }
  /** Runs the period as of this time. */
  | { kind: "run"; time: string };

/** What an advance does next. */
export function decide(
  { dueAt, time, ranInSlice, ranInAll, isSliceOver }: Facts,
  { slicePeriods, pauseAfter }: Limits,
): Decision {
  if (dueAt === undefined) return { kind: "finish" };
  if (ranInAll >= pauseAfter) return { kind: "pause" };
  if (ranInSlice >= slicePeriods || isSliceOver) return { kind: "yield" };
  return { kind: "run", time: dueAt !== null && dueAt > time ? dueAt : time };
}
