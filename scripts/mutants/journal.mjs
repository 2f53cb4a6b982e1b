import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../stamp.mjs";

/** A file of JSON lines that a later run goes on from. A line that was cut off by a kill is left out. */
export function openJournal(name) {
  const folder = path.join(root, "node_modules/.cache/mutants");
  const file = path.join(folder, `${name}.jsonl`);
  mkdirSync(folder, { recursive: true });
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const lines = text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
  return { lines, add: (line) => appendFileSync(file, `\n${JSON.stringify(line)}`) };
}
