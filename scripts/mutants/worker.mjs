// A child of run.mjs with a Vitest and a Postgres that stay: it runs some tests of one file with some sources replaced, and sends their results.
import path from "node:path";
import { createVitest } from "vitest/node";
import { root } from "../stamp.mjs";
import { stateOf } from "./state.mjs";

process.env.LOG_LEVEL ??= "silent";
const vitest = await createVitest("test", {
  root,
  config: path.join(root, "scripts/mutants/vitest.config.ts"),
  watch: false,
  reporters: [{}],
  // A failure is what a mutant run looks for; Vitest must not end the process with it.
  passWithNoTests: true,
});

process.on("message", async ({ sources, file, ids, bail }) => {
  try {
    process.send(await run(sources, file, ids, bail));
  } catch (error) {
    process.send({ error: String(error?.stack ?? error) });
  }
});
process.on("disconnect", () => {
  setTimeout(() => process.exit(1), 20_000).unref();
  vitest.close().finally(() => process.exit(0));
});
process.send({ ready: true });

async function run(sources, file, ids, bail) {
  const state = stateOf();
  const changed = new Set([...state.sources.keys(), ...Object.keys(sources)]);
  state.sources = new Map(Object.entries(sources));
  for (const one of changed) vitest.invalidateFile(path.join(root, one));
  // Vitest counts the failures of all its runs against `bail`.
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  const name = /\.db\.test\.tsx?$/.test(file) ? "database" : "unit";
  const project = vitest.projects.find((one) => one.name === name);
  project.config.bail = bail;
  vitest.config.bail = bail;
  const spec = project.createSpecification(path.join(root, file), ids ? { testIds: ids } : {});
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications([spec], false);
  const tests = testModules.flatMap((module) => [...module.children.allTests()]);
  return {
    failed:
      unhandledErrors.length > 0 ||
      testModules.length === 0 ||
      testModules.some((module) => module.state() === "failed"),
    errors: [
      ...unhandledErrors,
      ...testModules.flatMap((module) => module.errors()),
      ...tests.flatMap((test) => test.result().errors ?? []),
    ].map(({ message }) => String(message).slice(0, 300)),
    outside: [...new Set(tests.flatMap((test) => test.meta().outside ?? []))],
    tests: tests.map((test) => ({
      id: test.id,
      name: test.fullName,
      state: test.result().state,
      ms: Math.round(test.diagnostic()?.duration ?? 0),
      sites: test.meta().sites ?? [],
    })),
  };
}
