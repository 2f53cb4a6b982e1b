const KEY = Symbol.for("kutip.mutants");

/** What `worker.mjs` wants of its Vitest, which loads the configuration as a module of its own: sources by file, instead of those on disk. */
export function stateOf() {
  globalThis[KEY] ??= { sources: new Map() };
  return globalThis[KEY];
}
