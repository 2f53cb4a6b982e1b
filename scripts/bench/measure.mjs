// What both benches share: servers on one core, load and Postgres on the other, and the requests that are measured.
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { root } from "../stamp.mjs";

const pinned = os.cpus().length > 1 && process.platform === "linux";
const on = (core, command, args) =>
  pinned ? ["taskset", ["-c", String(core), command, ...args]] : [command, args];

/** Bundles the bench's tools of a tree (`prepare`, `cluster` and so on) into its build folder. */
export async function bundleTools(tree, names) {
  await build({
    absWorkingDir: tree,
    entryPoints: names.map((name) => `scripts/bench/${name}.ts`),
    outdir: path.join(tree, "build/bench"),
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    packages: "external",
    jsx: "automatic",
    logLevel: "warning",
    define: { "process.env.NODE_ENV": '"production"' },
  });
}

/** Runs a tool of a tree to its end, on some cores; returns what it prints. */
export function tool(tree, name, args, env = {}, cores = "1") {
  const [command, list] = on(cores, process.execPath, [
    path.join(tree, `build/bench/${name}.js`),
    ...args,
  ]);
  return execFileSync(command, list, {
    cwd: tree,
    env: { ...process.env, ...env },
    encoding: "utf8",
    maxBuffer: 1e7,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Settings of a server that is measured: no limits, its own secret, and the memory that `npm run web` gives a process. */
export const settings = () => ({
  NODE_ENV: "production",
  NODE_OPTIONS: "--max-old-space-size=1024 --max-semi-space-size=16",
  KUTIP_SECRET: randomBytes(32).toString("hex"),
  LOG_LEVEL: "warn",
  RATE_LIMIT_KEY: "999999999",
  RATE_LIMIT_BUSINESS: "999999999",
  RATE_LIMIT_COST: "0",
  RATE_LIMIT_ANONYMOUS: "0",
  RATE_LIMIT_PAYER: "0",
  RATE_LIMIT_PAGE: "0",
  RATE_LIMIT_TIME: "0",
  HOST: "127.0.0.1",
});

/** Starts a server on the first core; returns its process and origin once it answers. */
export async function serve(tree, script, port, env) {
  const [command, list] = on(0, process.execPath, [path.join(tree, script)]);
  const child = spawn(command, list, {
    cwd: tree,
    env: { ...process.env, ...env, PORT: String(port), BASE_URL: `http://localhost:${port}` },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const origin = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 600; tries++) {
    if (await fetch(`${origin}/api/payment-links`).catch(() => null)) return { child, origin };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill("SIGKILL");
  throw new Error(`nothing listens on ${port}`);
}

/** The measured requests by name, for what `prepare` made. Creating adds to the small business, so it comes last. */
export function requestsFor(made) {
  const authorization = `Bearer ${made.small.key}`;
  return {
    "get link": { path: `/api/payment-links/${made.small.linkId}`, headers: { authorization } },
    "list 15 of 1,000": { path: "/api/payment-links", headers: { authorization } },
    "list 15 of 100,000": {
      path: "/api/payment-links",
      headers: { authorization: `Bearer ${made.large.key}` },
    },
    "pay page": { path: `/pay?id=${made.large.linkId}`, headers: { "accept-encoding": "gzip" } },
    "create link": {
      method: "POST",
      path: "/api/payment-links",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({
        email: "ana@example.com",
        currency: "MYR",
        amount: 1250,
        title: "Invoice 1042",
        reference: "INV-1042",
        description: "Two bags of beans",
      }),
    },
  };
}

/** Sends a request over 32 connections for `duration` seconds; returns rate, p50, p99 and the number of answers that are not 2xx. */
export const load = (origin, request, duration) => sender("load", origin, request, { duration });

/** The same at an even rate a second. */
export const paced = (origin, request, duration, rate) =>
  sender("paced", origin, request, { duration, rate });

function sender(script, origin, request, manner) {
  const job = JSON.stringify({
    url: origin + request.path,
    connections: 32,
    method: request.method ?? "GET",
    headers: request.headers,
    ...(request.body ? { body: request.body } : {}),
    ...manner,
  });
  const [command, list] = on(1, process.execPath, [
    path.join(root, `scripts/bench/${script}.mjs`),
    job,
  ]);
  return new Promise((resolve, reject) => {
    const child = spawn(command, list, { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
    });
    child.on("exit", (code) =>
      code === 0 ? resolve(JSON.parse(text)) : reject(new Error("the load failed")),
    );
  });
}

/** Resident memory of a process in megabytes (Linux). */
export const residentMb = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
