import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../stamp.mjs";
import { openJournal } from "./journal.mjs";
import { instrument } from "./mutants.mjs";
import { withWorkers } from "./workers.mjs";

const RECORD_LIMIT_MS = 900_000;

export const hashOf = (...texts) =>
  createHash("sha256").update(texts.join("\0")).digest("hex").slice(0, 16);

/** Which tests reach which site: records those of test files that changed, and of all when a source in scope did. */
export async function recordReach(sources, { workers, print, only }) {
  const instrumented = {};
  let first = 0;
  for (const source of sources) {
    source.first = first;
    instrumented[source.file] = instrument(source.text, source.sites, first);
    first += source.sites.length;
  }
  const all = hashOf(...sources.flatMap(({ file, text }) => [file, text]));
  const tests = globSync("{app,components,db,lib,tests}/**/*.test.{ts,tsx}", { cwd: root })
    .filter((file) => !only || only.test(file))
    .sort();
  const keys = new Map(
    tests.map((file) => [file, hashOf(all, readFileSync(path.join(root, file), "utf8"))]),
  );
  const journal = openJournal("reach");
  const known = new Map(journal.lines.map((line) => [line.file, line]));
  const missing = tests.filter((file) => known.get(file)?.key !== keys.get(file));
  if (missing.length > 0) print(`recording what ${missing.length} test files reach`);
  await withWorkers(workers, missing, async (file, ask) => {
    const began = performance.now();
    const result = await ask({ sources: instrumented, file }, RECORD_LIMIT_MS);
    if (result.error || result.late) print(`${file}: ${result.error ?? "takes too long"}`);
    for (const error of result.errors ?? []) print(`${file}: ${error.split("\n")[0]}`);
    const line = {
      file,
      key: keys.get(file),
      ms: Math.round(performance.now() - began),
      outside: result.outside ?? [],
      // A test that fails without a mutant says nothing about any.
      tests: (result.tests ?? []).filter(({ state }) => state === "passed"),
    };
    journal.add(line);
    known.set(file, line);
  });
  return tests.flatMap((file) => known.get(file) ?? []);
}

/** The tests that reach one of the sites, by file, those that take the shortest first. */
export function testsReaching(reach, numbers) {
  const wanted = new Set(numbers);
  const files = reach.flatMap(({ file, key, ms, outside, tests }) => {
    const all = outside.some((number) => wanted.has(number));
    const chosen = all
      ? tests
      : tests.filter(({ sites }) => sites.some((number) => wanted.has(number)));
    const own = tests.reduce((sum, test) => sum + test.ms, 0);
    return chosen.length === 0
      ? []
      : [
          {
            file,
            key,
            ids: chosen.map(({ id }) => id),
            ms: ms - own + chosen.reduce((sum, test) => sum + test.ms, 0),
          },
        ];
  });
  return files.sort((a, b) => a.ms - b.ms);
}
