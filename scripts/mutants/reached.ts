import { afterEach, beforeEach } from "vitest";

// Instrumented sources add the number of each site that runs. A test gets those of its own time, and those that ran before all tests of
// its file: modules that load, and `beforeAll`.
const root = globalThis as unknown as { mutantSites: Set<number> };
const outside = new Set<number>();
root.mutantSites = outside;
beforeEach(() => {
  root.mutantSites = new Set();
});
afterEach(({ task }) => {
  Object.assign(task.meta, { sites: [...root.mutantSites], outside: [...outside] });
  root.mutantSites = outside;
});
