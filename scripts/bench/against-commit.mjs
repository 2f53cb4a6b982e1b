// Measures this tree against another commit: both are built, and short runs of the two alternate, so that a machine that
// slows down slows both. What counts is the median of the ratios of each pair.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "../stamp.mjs";
import { bundleTools, load, requestsFor, serve, settings, tool } from "./measure.mjs";
import { median } from "./table.mjs";

const PAIRS = 7;
const RUN_SECONDS = 3;
const LEAST_RATIO = 0.95;

/** Prints the median of paired ratios of each request; true when none is below 0.95. Needs the commit in this clone. */
export async function againstCommit(ref) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-against-"));
  // Postgres does not run as root: its own user has to enter the folder.
  chmodSync(folder, 0o711);
  const other = path.join(folder, "tree");
  const running = [];
  try {
    git("worktree", "add", "--quiet", "--detach", other, ref);
    makeReady(other);
    for (const [index, tree] of [root, other].entries())
      running.push(await start(tree, path.join(folder, `data-${index}`), 3921 + index));
    return await compare(ref, ...running);
  } finally {
    for (const one of running) one.stop();
    git("worktree", "remove", "--force", other);
    rmSync(folder, { recursive: true, force: true });
  }
}

const git = (...args) =>
  execFileSync("git", args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });

function makeReady(tree) {
  const run = (command, args) =>
    execFileSync(command, args, {
      cwd: tree,
      env: { ...process.env, NODE_ENV: "production" },
      stdio: ["ignore", "ignore", "inherit"],
    });
  const lock = (at) => readFileSync(path.join(at, "package-lock.json"), "utf8");
  if (lock(tree) === lock(root))
    symlinkSync(path.join(root, "node_modules"), path.join(tree, "node_modules"));
  else run("npm", ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"]);
  console.log(`building ${tree}`);
  run(process.execPath, ["scripts/build.mjs"]);
  if (!existsSync(path.join(tree, "scripts/bench/prepare.ts")))
    throw new Error("that commit has no scripts/bench/prepare.ts: it cannot be measured");
}

async function start(tree, data, port) {
  await bundleTools(tree, ["prepare", "cluster"]);
  const env = { ...settings(), DATABASE_URL: tool(tree, "cluster", ["start", data]) };
  const stopDatabase = () => tool(tree, "cluster", ["stop", data]);
  try {
    const made = JSON.parse(tool(tree, "prepare", [], env));
    const { child, origin } = await serve(tree, "build/server.js", port, env);
    const stop = () => {
      child.kill("SIGKILL");
      stopDatabase();
    };
    return { origin, requests: requestsFor(made), stop };
  } catch (error) {
    stopDatabase();
    throw error;
  }
}

async function compare(ref, ours, theirs) {
  console.log(`\nthis tree / ${ref}: median of ${PAIRS} pairs (least, most)`);
  let holds = true;
  for (const name of Object.keys(ours.requests)) {
    const rate = async ({ origin, requests }, seconds) => {
      const run = await load(origin, requests[name], seconds);
      if (run.bad > 0) throw new Error(`${name}: ${run.bad} answers are not 2xx`);
      return run.rate;
    };
    for (const side of [ours, theirs]) await rate(side, 1);
    const ratios = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      const order = pair % 2 === 0 ? [ours, theirs] : [theirs, ours];
      const rates = new Map();
      for (const side of order) rates.set(side, await rate(side, RUN_SECONDS));
      ratios.push(rates.get(ours) / rates.get(theirs));
    }
    const middle = median(ratios);
    if (middle < LEAST_RATIO) holds = false;
    const shown = [middle, Math.min(...ratios), Math.max(...ratios)].map((one) => one.toFixed(3));
    console.log(
      `  ${middle < LEAST_RATIO ? "FAILED" : "      "}  ${name.padEnd(20)} ${shown[0]}   (${shown[1]}, ${shown[2]})`,
    );
  }
  return holds;
}
