// Checks the structure of the code; prints what breaks its rules.
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./stamp.mjs";
import { checkStructure, rules } from "./structure-rules.mjs";

const found = globSync(
  [
    "{app,app/.well-known,components,lib,db,deploy,e2e,tests,scripts}/**/*.{ts,tsx,mjs}",
    "*.{ts,mjs}",
  ],
  { cwd: root },
)
  .map((file) => file.split(path.sep).join("/"))
  .filter((file) => file !== "next-env.d.ts" && !file.startsWith("scripts/structure"))
  .sort();
const broken = checkStructure(
  found.map((file) => [file, readFileSync(path.join(root, file), "utf8")]),
);
for (const { rule, file, text } of broken) console.log(`${file}: ${text} [${rule}]`);
const failed = new Set(broken.map(({ rule }) => rule)).size;
console.log(
  `structure: ${found.length} files, ${Object.keys(rules).length} rules, ${failed} broken`,
);
process.exitCode = failed > 0 || found.length === 0 ? 1 : 0;
