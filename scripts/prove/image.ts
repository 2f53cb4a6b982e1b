import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { buildImage, IMAGE, makeBase } from "./parts/image/build";
import { makeContainer, type Running, statusOf, untilStatus } from "./parts/image/container";
import { type Database, startDatabase } from "./parts/image/database";
import { type Engine, openEngine, type Settings } from "./parts/image/engine";
import { payOneLink, receiptOf } from "./parts/image/payment";
import { startReadOnly } from "./parts/image/read-only";
import { requireMachine } from "./parts/machine";
import { expected, prove, told } from "./parts/proof";
import { freePort } from "./parts/service";

// The image of deploy/Dockerfile, built without a container engine from Debian's and npm's packages, started, paid through and stopped.
const LIMIT_SECONDS = 40 * 60;
const DRAIN_SECONDS = 3;
const MAX_MEGABYTES = 900;
const USER = 10001;

requireMachine(
  ["buildah", "debootstrap"].map((program) => ({ program, package: program })),
  { root: true },
);
const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-image-"));
chmodSync(folder, 0o755);
const running = new Set<Running>();
let database: Database | undefined;
let engine: Engine | undefined;

async function built(engine: Engine): Promise<{ seconds: number; size: number }> {
  await makeBase(engine, folder);
  const began = performance.now();
  const size = await buildImage(engine, folder);
  return { seconds: (performance.now() - began) / 1_000, size };
}

/** What the image says of itself, and that nothing is in it which has no place there. */
async function describesItself(engine: Engine): Promise<void> {
  const { Docker } = JSON.parse(await engine.call("inspect", "--type", "image", IMAGE)) as {
    Docker: { config: Record<string, unknown> & { Healthcheck?: { Test?: string[] } } };
  };
  const { User, Entrypoint, Cmd, Healthcheck } = Docker.config;
  expected("user of the image", User, `${USER}:${USER}`);
  expected("its program", [Entrypoint, Cmd], [["kutip"], ["web"]]);
  expected("its health check", Healthcheck?.Test, ["CMD", "kutip", "healthy"]);
  const { mount } = await makeContainer(engine, "look", {});
  const strange = find(path.join(mount, "app"), [
    ...[
      "(",
      "-name",
      ".env*",
      "-o",
      "-name",
      ".data",
      "-o",
      "-name",
      ".git",
      "-o",
      "-name",
      "tests",
    ],
    ...["-o", "-name", "*.test.ts", "-o", "-name", "vitest", "-o", "-name", "esbuild", ")"],
    ...["-not", "-path", "*/node_modules/*/*"],
  ]);
  expected("settings, data, tests and tools in the image", strange, []);
}

async function serves(engine: Engine, database: Database): Promise<void> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const settings: Settings = {
    HOST: "127.0.0.1",
    PORT: String(port),
    BASE_URL: url,
    DATABASE_URL: database.url,
    KUTIP_SECRET: randomBytes(32).toString("hex"),
    DRAIN_SECONDS: String(DRAIN_SECONDS),
    LOG_LEVEL: "warn",
  };
  const main = await makeContainer(engine, "main", settings);
  const metrics = await freePort();
  const second = await makeContainer(engine, "second", {
    ...settings,
    METRICS_ADDRESS: `127.0.0.1:${metrics}`,
  });
  const marker = path.join(folder, "marker");
  writeFileSync(marker, "");

  const said = await main.run("kutip", "migrate");
  told("kutip migrate", said.trim(), /up to date; \d+ migrations applied/.test(said));
  const began = performance.now();
  const web = started(main.start("kutip", "web"));
  await untilStatus(`${url}/api/health/live`, 200);
  told("milliseconds until the web process responds", Math.round(performance.now() - began));
  await untilStatus(`${url}/api/health/ready`, 200);
  told("milliseconds until it is ready", Math.round(performance.now() - began));
  expected("whole install without a worker", await statusOf(`${url}/api/health`), 503);
  const worker = started(second.start("kutip", "worker"));
  const seconds = await untilStatus(`${url}/api/health`, 200);
  told("seconds until the whole install is well with one", seconds.toFixed(1));
  expected("users of both processes", [userOf(web), userOf(worker)], [USER, USER]);
  const checks = () =>
    Promise.all([main, second].map((one) => endsWell(one.run("kutip", "healthy"))));
  expected("health checks of both containers", await checks(), [true, true]);
  const ofWorker = ["/api/health/live", "/api/health/ready", "/api/health"].map((address) =>
    statusOf(`http://127.0.0.1:${metrics}${address}`),
  );
  expected("health addresses of the worker", await Promise.all(ofWorker), [200, 200, 200]);
  expected("sign-in page", await statusOf(`${url}/sign-in`), 200);

  const owner = ["--email", "ana@example.com", "--currency", "MYR"];
  const business = JSON.parse(await main.run("kutip", "business:create", "Ana's", ...owner)) as {
    business_id: number;
  };
  const which = ["--business", String(business.business_id), "--mode", "test"];
  const key = (await main.run("kutip", "key:create", ...which)).trim();
  const payment = await payOneLink(url, key);
  told("a link, paid at the simulated gateway", payment.status);
  const receipt = await receiptOf(url, key, payment._id);
  told("bytes of its receipt", receipt.length, receipt.subarray(0, 5).toString() === "%PDF-");

  worker.kill("SIGTERM");
  expected("worker's exit code after SIGTERM", await worker.ended, 0);
  expected("web process after SIGTERM", await stop(web, url), IN_ORDER);
  expected("health checks without a process", await checks(), [false, false]);
  const written = [main, second].flatMap(({ mount }) =>
    find(mount, ["-newer", marker, "-type", "f", "-not", "-path", "*/tmp/*"]),
  );
  expected("files written to the image's own file system", written, []);
  expected("write by its user", await endsWell(main.run("touch", "/app/written")), false);

  await servesReadOnly(main.mount, settings, url, key, payment._id);
  await protectionsOff(engine, settings, url);
}

async function servesReadOnly(
  root: string,
  settings: Settings,
  url: string,
  key: string,
  paymentId: string,
): Promise<void> {
  const touched = startReadOnly(root, settings, "touch", "/app/written", "/written");
  expected("write to a read-only root", await ended(touched).then((code) => code === 0), false);
  const process = startReadOnly(root, settings, "kutip", "web");
  const web = started({
    pid: () => process.pid ?? 0,
    ended: ended(process),
    kill: (signal) => process.kill(signal),
  });
  await untilStatus(`${url}/api/health/ready`, 200);
  const receipt = await receiptOf(url, key, paymentId);
  told("the same receipt on a read-only root", receipt.length, receipt.length > 1_000);
  expected("sign-in page on a read-only root", await statusOf(`${url}/sign-in`), 200);
  expected("web process on a read-only root after SIGTERM", await stop(web, url), IN_ORDER);
}

/** The same looks with a protection switched off must not find what they found before. */
async function protectionsOff(engine: Engine, settings: Settings, url: string): Promise<void> {
  const bare = await makeContainer(engine, "bare", { ...settings, DRAIN_SECONDS: "0" });
  const web = started(bare.start("kutip", "web"));
  await untilStatus(`${url}/api/health/ready`, 200);
  const without = await stop(web, url);
  told(
    "without a drain: what the look at the stop found",
    JSON.stringify(without),
    JSON.stringify(without) !== JSON.stringify(IN_ORDER),
  );
  await engine.call("config", "--user", "0", "bare");
  expected("as root: the write succeeds", await endsWell(bare.run("touch", "/app/written")), true);
}

type Stop = { notReadyFirst: boolean; stillServes: boolean; code: number };
const IN_ORDER: Stop = { notReadyFirst: true, stillServes: true, code: 0 };

/** Sends SIGTERM and looks whether the process says first that it is not ready, still serves, and then ends. */
async function stop(web: Running, url: string): Promise<Stop> {
  web.kill("SIGTERM");
  const began = performance.now();
  let notReadyFirst = false;
  let stillServes = false;
  while (!notReadyFirst && performance.now() - began < DRAIN_SECONDS * 1_000) {
    notReadyFirst = (await statusOf(`${url}/api/health/ready`)) === 503;
    if (notReadyFirst) stillServes = (await statusOf(`${url}/sign-in`)) === 200;
    else await pause(20);
  }
  return { notReadyFirst, stillServes, code: await web.ended };
}

function started(process: Running): Running {
  running.add(process);
  void process.ended.then(() => running.delete(process));
  return process;
}

const ended = (child: ReturnType<typeof startReadOnly>): Promise<number> =>
  new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));

const endsWell = (run: Promise<unknown>): Promise<boolean> =>
  run.then(
    () => true,
    () => false,
  );

const userOf = (process: Running): number =>
  Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${process.pid()}/status`, "utf8"))?.[1]);

const find = (root: string, tests: string[]): string[] =>
  execFileSync("find", [root, "-xdev", ...tests], { encoding: "utf8" })
    .split("\n")
    .filter(Boolean)
    .map((file) => path.relative(root, file));

async function cleanUp(): Promise<void> {
  const stopping = [...running];
  for (const process of stopping) process.kill("SIGTERM");
  await Promise.race([
    Promise.all(stopping.map(({ ended }) => ended)),
    pause(30_000, undefined, { ref: false }),
  ]);
  database?.stop();
  await engine?.call("rm", "--all").catch(() => undefined);
  await engine?.call("rmi", "--all", "--force").catch(() => undefined);
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
}

await prove(
  async () => {
    engine = await openEngine(path.join(folder, "engine"));
    const { seconds, size } = await built(engine);
    told("seconds to build, from Debian's and npm's packages", seconds.toFixed(0));
    told("megabytes of the image", Math.round(size / 1e6), size < MAX_MEGABYTES * 1e6);
    await describesItself(engine);
    database = await startDatabase(path.join(folder, "database"));
    await serves(engine, database);
  },
  cleanUp,
  LIMIT_SECONDS,
);
