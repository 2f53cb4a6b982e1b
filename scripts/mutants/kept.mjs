import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "../stamp.mjs";

const file = path.join(import.meta.dirname, "results.json");

/** What runs have found, also on other machines: by mutant the test file that killed it, or null when none did. */
export function readKept() {
  const bySource = JSON.parse(readFileSync(file, "utf8"));
  return new Map(Object.values(bySource).flatMap(Object.entries));
}

/** Of this, what still says something: its mutant exists, and so does the test file. */
export function stillTrue(kept, mutants) {
  const ids = new Set(mutants.map(({ id }) => id));
  const exists = (killer) => killer === null || existsSync(path.join(root, killer));
  return new Map([...kept].filter(([id, killer]) => ids.has(id) && exists(killer)));
}

/** The file's text: a line for each mutant, by source and id, so that few lines change at a time. */
export function textOfKept(kept, mutants) {
  const known = mutants.filter(({ id }) => kept.has(id)).sort((a, b) => (a.id < b.id ? -1 : 1));
  const sources = [...Map.groupBy(known, ({ file }) => file)].sort(([a], [b]) => (a < b ? -1 : 1));
  const groups = sources.map(([source, ofSource]) => {
    const lines = ofSource.map(({ id }) => `    "${id}": ${JSON.stringify(kept.get(id))}`);
    return `  "${source}": {\n${lines.join(",\n")}\n  }`;
  });
  return groups.length > 0 ? `{\n${groups.join(",\n")}\n}\n` : "{}\n";
}

export const writeKept = (kept, mutants) => writeFileSync(file, textOfKept(kept, mutants));
