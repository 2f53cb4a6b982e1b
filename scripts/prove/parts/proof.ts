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

/** Runs a proof to its end, cleans up whatever happens, and ends the process: 0 only when every promise held. */
export async function prove(
  work: () => Promise<void>,
  cleanUp: () => Promise<void> | void,
): Promise<never> {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => void Promise.resolve(cleanUp()).finally(() => process.exit(130)));
  try {
    await work();
  } catch (error) {
    failed = true;
    console.error(error);
  }
  await closePool().catch(() => undefined);
  await cleanUp();
  process.exit(failed ? 1 : 0);
}
