// When this process last finished a piece of each kind of work without an error.
const finishedAt = new Map<string, number>();

/** Notes that a piece of this kind of work was finished well: late work of a kind that moves is a backlog, not a failure. */
export function noteProgress(kind: string): void {
  finishedAt.set(kind, performance.now());
}

/** Seconds since a piece of each kind was finished. */
export const secondsSinceProgress = (): Record<string, number> =>
  Object.fromEntries([...finishedAt].map(([kind, at]) => [kind, (performance.now() - at) / 1_000]));
