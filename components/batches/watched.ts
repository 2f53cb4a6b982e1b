import type { Scope } from "@/lib/client/scope";

/** A batch that ended longer ago than it was last seen open is not announced. In milliseconds. */
const NEWS_MS = 60_000;

type Watched = { id: string; scope: Scope };

let watched: readonly Watched[] = [];
/** When each was last seen open, in milliseconds of this browser's clock: that of the server may be another. */
const openAt = new Map<string, number>();
const announced = new Set<string>();
const listeners = new Set<() => void>();

function setWatched(next: readonly Watched[]): void {
  watched = next;
  for (const listen of listeners) listen();
}

/** Notes that a batch of this business and mode was open at a moment, or was started here: its end is announced once. */
export function seeOpen(id: string, { business, mode }: Scope, at: number): void {
  // A list that is older than the end shows it open once more.
  if (announced.has(id)) return;
  openAt.set(id, Math.max(at, openAt.get(id) ?? 0));
  if (!watched.some((one) => one.id === id))
    setWatched([...watched, { id, scope: { business, mode } }]);
}

/** Ends the watch of a batch that is over, or not there. True where its end is news, which is so once at most. */
export function takeEnd(id: string, now: number): boolean {
  if (!watched.some((one) => one.id === id)) return false;
  const seen = openAt.get(id) ?? 0;
  announced.add(id);
  openAt.delete(id);
  setWatched(watched.filter((one) => one.id !== id));
  return now - seen < NEWS_MS;
}

/** All that are watched; the same array while nothing changes. */
export const getWatched = (): readonly Watched[] => watched;

/** Calls `listener` when others are watched. Returns a function that unsubscribes. */
export function onWatched(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
