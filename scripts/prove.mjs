// Runs proofs: `npm run prove -- NAME … [--OPTION …]`, or all of them but `sabotage`, which proves the proofs, `mutants`, which proves the
// tests, and the drills, which need more of the machine. Each is one file in scripts/prove, a process of its own that fails by its exit code.
// A drill that lacks something ends with 77: it has proven nothing, and so has this run.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { root } from "./stamp.mjs";

const there = readdirSync(path.join(root, "scripts/prove"), { withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => entry.name.slice(0, -3));
const ON_REQUEST = { sabotage: "scripts/sabotage/run.mjs", mutants: "scripts/mutants/run.mjs" };
const DRILLS = [
  "alerts",
  "backup",
  "citus",
  "degrade",
  "failover",
  "image",
  "noisy",
  "partition",
  "pgbouncer",
  "replica",
  "retention",
  "rolling",
  "soak",
];
const NOT_RUN = 77;
// `--minutes 60` is the same as `--minutes=60`.
const words = [];
for (const word of process.argv.slice(2)) {
  const isValue = /^\d/.test(word) && /^--[^=]+$/.test(words.at(-1) ?? "");
  words.push(isValue ? `${words.pop()}=${word}` : word);
}
const options = words.filter((word) => word.startsWith("--"));
const asked = words.filter((word) => !word.startsWith("--"));
const unknown = asked.filter((name) => !ON_REQUEST[name] && !there.includes(name));
if (unknown.length > 0) {
  console.error(
    `no proof named ${unknown.join(", ")}; there are: ${[...there, ...Object.keys(ON_REQUEST)].join(", ")}`,
  );
  process.exit(2);
}

const names = asked.length > 0 ? asked : there.filter((name) => !DRILLS.includes(name));
const out = path.join(root, "build/prove");
await build({
  absWorkingDir: root,
  entryPoints: names.filter((name) => !ON_REQUEST[name]).map((name) => `scripts/prove/${name}.ts`),
  outdir: out,
  bundle: true,
  platform: "node",
  target: "node24",
  format: "esm",
  packages: "external",
  jsx: "automatic",
  sourcemap: true,
  logLevel: "warning",
  define: { "process.env.NODE_ENV": '"production"' },
});
let failed = 0;
let notRun = 0;
for (const name of names) {
  console.log(`\n${name}`);
  const file = ON_REQUEST[name] ? path.join(root, ON_REQUEST[name]) : path.join(out, `${name}.js`);
  const code = await run(file);
  if (code === NOT_RUN) notRun++;
  else if (code !== 0) failed++;
}
console.log(`\n${names.length - failed - notRun} of ${names.length} proven`);
process.exit(failed > 0 ? 1 : notRun > 0 ? NOT_RUN : 0);

// On a signal it waits for the proof to stop its own processes.
function run(file) {
  const child = spawn(process.execPath, ["--enable-source-maps", file, ...options], {
    cwd: root,
    stdio: "inherit",
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.once(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.on("error", () => resolve(1));
    child.on("exit", (code) => resolve(code ?? 1));
  });
}
