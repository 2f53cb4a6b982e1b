import { setTimeout as pause } from "node:timers/promises";
import { closePool } from "@/db/client";

let failed = false;

/** Prints a figure or a promise; one that does not hold fails the proof. */
export function told(what: string, value: unknown, holds = true): void {
  if (!holds) failed = true;
  console.log(`  ${holds ? "      " : "FAILED"}  ${what.padEnd(58)} ${String(value)}`);
}

/** Prints a promise with what was found; it holds when that is what was expected. */
export function expected(what: string, found: unknown, wanted: unknown): void {
  const holds = JSON.stringify(found) === JSON.stringify(wanted);
  told(what, holds ? brief(found) : `${shown(found)} instead of ${shown(wanted)}`, holds);
}

const brief = (value: unknown) =>
  Array.isArray(value) && value.length > 5 ? `${value.length}, as they should be` : shown(value);
const shown = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

/** Runs a proof to its end or for `limitSeconds`, cleans up, and ends the process: 0 only when every promise held in time. */
export async function prove(
  work: () => Promise<void>,
  cleanUp: () => Promise<void> | void,
  limitSeconds: number,
): Promise<never> {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => void Promise.resolve(cleanUp()).finally(() => process.exit(130)));
  try {
    await Promise.race([work(), refuseAfter(limitSeconds)]);
  } catch (error) {
    failed = true;
    console.error(error);
  }
  await closePool().catch(() => undefined);
  await cleanUp();
  process.exit(failed ? 1 : 0);
}

async function refuseAfter(seconds: number): Promise<never> {
  await pause(seconds * 1_000, undefined, { ref: false });
  throw new Error(`not proven within ${seconds} s`);
}

const POLL_MS = 250;

/**
 * Waits until `isDone` accepts what `look` returns, and returns it. Gives up with the last look once `look` has
 * returned the same for `stillSeconds`: what no longer moves will not come.
 */
export async function waitWhileMoving<T>(
  look: () => Promise<T>,
  isDone: (found: T) => boolean,
  stillSeconds: number,
  pollMs = POLL_MS,
): Promise<T> {
  let last = "";
  let movedAt = performance.now();
  for (;;) {
    const found = await look();
    if (isDone(found)) return found;
    const text = JSON.stringify(found);
    if (text !== last) movedAt = performance.now();
    last = text;
    if (performance.now() - movedAt > stillSeconds * 1_000) {
      told("nothing has moved any more", text, false);
      return found;
    }
    await pause(pollMs);
  }
}
