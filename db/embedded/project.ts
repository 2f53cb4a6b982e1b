import { existsSync } from "node:fs";
import path from "node:path";

/** The folder of this install (where package.json is), from the sources as well as from the bundles. */
export const projectRoot = find(import.meta.dirname ?? process.cwd());

function find(from: string): string {
  if (existsSync(path.join(from, "package.json"))) return from;
  const above = path.dirname(from);
  return above === from ? process.cwd() : find(above);
}
