import type { Known } from "./call";

/** An answer that was read before a change is on its way no longer than this. In milliseconds. */
const KEPT_MS = 15_000;

const heard = new Map<Known, number>();

/** Notes that the stream named these endpoints. `now`: milliseconds of `performance.now()`, as everywhere here. */
export function noteHeard(endpoints: Iterable<Known>, now = performance.now()): void {
  for (const endpoint of endpoints) heard.set(endpoint, now);
}

/** The endpoints that the stream named since a moment, and lately. */
export const heardSince = (moment: number, now = performance.now()): Known[] =>
  [...heard].flatMap(([endpoint, at]) => (at >= Math.max(moment, now - KEPT_MS) ? [endpoint] : []));
