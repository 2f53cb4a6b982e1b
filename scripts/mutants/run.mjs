// Changes the code in small ways that no test may miss: `npm run prove -- mutants`, or `node scripts/mutants/run.mjs --all`. Sources on disk
// stay as they are. docs/decisions/mutation-testing.md says how to read the result.
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "../stamp.mjs";
import { openJournal } from "./journal.mjs";
import { readKept, stillTrue, writeKept } from "./kept.mjs";
import { mutantsOf } from "./mutants.mjs";
import { hashOf, recordReach, testsReaching } from "./reach.mjs";
import { filesInScope } from "./scope.mjs";
import { withWorkers } from "./workers.mjs";

const { values } = parseArgs({
  options: {
    /** Every mutant instead of a sample. */
    all: { type: "boolean", default: false },
    take: { type: "string", default: "300" },
    seed: { type: "string", default: process.env.TEST_SEED ?? String(randomInt(2 ** 31)) },
    /** Only mutants of files, and only tests of files, that match. */
    files: { type: "string" },
    tests: { type: "string" },
    operator: { type: "string" },
    /** Goes on from `results.json`, and adds what it finds. */
    keep: { type: "boolean", default: false },
    /** Only takes out of `results.json` what no longer exists. */
    prune: { type: "boolean", default: false },
    /** Stops after so long; the next run goes on. */
    minutes: { type: "string", default: "60" },
    workers: { type: "string", default: "2" },
  },
});
const began = performance.now();
const seconds = () => Math.round((performance.now() - began) / 1000);
const print = (text) => console.log(`  ${String(seconds()).padStart(5)} s  ${text}`);

const sources = filesInScope(root).map((file) => {
  const text = readFileSync(path.join(root, file), "utf8");
  return { file, text, hash: hashOf(text), ...mutantsOf(file, text) };
});
const everything = sources.flatMap((source) =>
  source.mutants.map((mutant) => ({ ...mutant, source })),
);
const listed = JSON.parse(readFileSync(path.join(import.meta.dirname, "equivalent.json"), "utf8"));
const kept = stillTrue(readKept(), everything);
if (values.prune) {
  writeKept(kept, everything);
  process.exit(0);
}
const chosen = choose(everything);
console.log(
  `  ${everything.length} mutants of ${sources.length} files, ${chosen.length} chosen${values.all ? "" : `: --seed ${values.seed}`}`,
);

const workers = Number(values.workers);
const only = values.tests && new RegExp(values.tests);
const reach = await recordReach(sources, { workers, print, only });
const journal = openJournal("results");
const known = new Map(journal.lines.map((line) => [line.id, line]));
const results = [];
let skipped = 0;

await withWorkers(workers, chosen, async (mutant, ask) => {
  const numbers = mutant.at.map((at) => mutant.source.first + at);
  if (values.keep && (kept.get(mutant.id) || listed[mutant.id])) {
    results.push({ id: mutant.id, killer: kept.get(mutant.id) ?? null, mutant });
    return;
  }
  const tests = testsReaching(reach, numbers);
  const keys = hashOf(mutant.source.hash, ...tests.map(({ key }) => key));
  const before = known.get(mutant.id);
  if (before && (before.keys === keys || (before.killer && before.source === mutant.source.hash))) {
    results.push({ ...before, mutant });
    return;
  }
  if (seconds() > Number(values.minutes) * 60) {
    skipped++;
    return;
  }
  const began = performance.now();
  const killer = await findKiller(mutant, likeliestFirst(mutant, tests), ask);
  const result = { id: mutant.id, source: mutant.source.hash, keys, ...killer };
  journal.add({ ...result, ms: Math.round(performance.now() - began) });
  results.push({ ...result, mutant });
  if (results.length % 50 === 0) print(`${results.length} of ${chosen.length}`);
});
if (values.keep) {
  // A busy machine is late, too; and what survives some tests may not survive all.
  for (const { id, killer, late, ended } of results)
    if (!late && !ended && !listed[id] && (killer || !only)) kept.set(id, killer);
  writeKept(kept, everything);
  printKept();
}
process.exit(report());

/** The test file that killed it before comes first. */
function likeliestFirst({ id }, tests) {
  const isLikely = ({ file }) => file === kept.get(id);
  return [...tests.filter(isLikely), ...tests.filter((one) => !isLikely(one))];
}

async function findKiller(mutant, tests, ask) {
  for (const { file, ids, ms } of tests) {
    const request = { sources: { [mutant.file]: mutant.code }, file, ids, bail: 1 };
    const result = await ask(request, ms * 3 + 20_000);
    if (result.error) print(`${mutant.id}: ${result.error}`);
    if (result.late) return { killer: file, late: true };
    if (result.error) return { killer: file, ended: true };
    if (result.failed) return { killer: file };
  }
  return { killer: null };
}

/** A sample by the seed, or all. */
function choose(mutants) {
  const wanted = mutants.filter(
    ({ file, operator }) =>
      (!values.files || new RegExp(values.files).test(file)) &&
      (!values.operator || new RegExp(values.operator).test(operator)),
  );
  const order = (one) => hashOf(values.seed, one.id);
  const shuffled = wanted.map((one) => [order(one), one]).sort(([a], [b]) => (a < b ? -1 : 1));
  return shuffled.slice(0, values.all ? undefined : Number(values.take)).map(([, one]) => one);
}

function inWords({ id, file, line, operator, original, replacement }) {
  const short = (text) => text.replace(/\s+/g, " ").trim().slice(0, 80);
  return `${id} ${file}:${line} ${operator}: ${short(original)} → ${short(replacement) || "nothing"}`;
}

function printKept() {
  const survivors = [...kept].filter(([id, killer]) => !killer && !listed[id]).length;
  const equivalent = Object.keys(listed).length;
  const killed = [...kept.values()].filter(Boolean).length;
  const open = everything.length - killed - survivors - equivalent;
  console.log(
    `  of all ${everything.length}: ${killed} killed, ${equivalent} listed as equivalent, ${survivors} survive, ${open} not run`,
  );
}

function report() {
  const survivors = results.filter(({ killer }) => !killer);
  const unlisted = survivors.filter(({ mutant }) => !listed[mutant.id]);
  const wrong = results.filter(({ killer, mutant }) => killer && listed[mutant.id]);
  const late = results.filter((one) => one.late).length;
  const counts = [
    `${results.length - survivors.length} killed (${late} by time)`,
    `${survivors.length - unlisted.length} listed as equivalent`,
    `${unlisted.length} survive`,
    `${skipped} not run`,
  ];
  console.log(`  ${chosen.length} mutants in ${seconds()} s: ${counts.join(", ")}`);
  const faults = [
    ...unlisted.map(({ mutant }) => `survives: ${inWords(mutant)}`),
    ...wrong.map(({ mutant }) => `listed as equivalent, but a test kills it: ${inWords(mutant)}`),
    ...(skipped > 0
      ? [`${skipped} not run in ${values.minutes} minutes; the next run goes on`]
      : []),
  ];
  for (const fault of faults) console.log(`  FAILED  ${fault}`);
  return faults.length > 0 ? 1 : 0;
}
