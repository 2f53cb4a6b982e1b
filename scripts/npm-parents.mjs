import { processStat } from "./process.mjs";

/** The shell that npm runs this process in, and npm itself. */
export function npmParents() {
  return [process.ppid, processStat(process.ppid)?.parent ?? 0];
}

/** Calls `stop` once `parents`, as they were read at first, are gone: npm that ends cannot pass a signal on. Returns the timer. */
export function whenNpmGoes(parents, stop) {
  const gone = () => npmParents().join() !== parents.join();
  if (gone()) stop();
  return setInterval(() => gone() && stop(), 500).unref();
}
