// Measures the built server against a reference and a floor, in one run on one database. Servers on one core, load and Postgres on the other.
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { root } from "./stamp.mjs";

const out = path.join(root, "build/bench");
const seconds = Number(process.argv[2] ?? 4);
const rounds = 3;
const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-bench-"));
const pinned = os.cpus().length > 1 && process.platform === "linux";
const on = (core, command, args) =>
  pinned ? ["taskset", ["-c", String(core), command, ...args]] : [command, args];

await build({
  absWorkingDir: root,
  entryPoints: ["prepare", "reference", "floor", "cluster"].map(
    (name) => `scripts/bench/${name}.ts`,
  ),
  outdir: out,
  bundle: true,
  platform: "node",
  target: "node24",
  format: "esm",
  packages: "external",
  jsx: "automatic",
  logLevel: "warning",
  define: { "process.env.NODE_ENV": '"production"' },
});
const tool = (name, args, env = {}) => {
  const [command, list] = on(1, process.execPath, [path.join(out, `${name}.js`), ...args]);
  return execFileSync(command, list, {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: "utf8",
    maxBuffer: 1e7,
    stdio: ["ignore", "pipe", "inherit"],
  });
};

const env = {
  NODE_ENV: "production",
  KUTIP_SECRET: randomBytes(32).toString("hex"),
  LOG_LEVEL: "warn",
  RATE_LIMIT_KEY: "999999999",
  RATE_LIMIT_BUSINESS: "999999999",
  RATE_LIMIT_COST: "0",
  RATE_LIMIT_ANONYMOUS: "0",
  RATE_LIMIT_PAYER: "99999999",
  HOST: "127.0.0.1",
};
const servers = [];
try {
  env.DATABASE_URL = tool("cluster", ["start", folder]);
  const made = JSON.parse(tool("prepare", [], env));
  const targets = {
    kutip: await serve(3911, [path.join(root, "build/server.js")]),
    reference: await serve(3912, [path.join(out, "reference.js")]),
    floor: await serve(3913, [path.join(out, "floor.js")]),
  };
  await measure(targets, made);
} finally {
  for (const server of servers) server.kill("SIGKILL");
  tool("cluster", ["stop", folder]);
  rmSync(folder, { recursive: true, force: true });
}

async function serve(port, args) {
  const [command, list] = on(0, process.execPath, args);
  const child = spawn(command, list, {
    cwd: root,
    env: { ...process.env, ...env, PORT: String(port), BASE_URL: `http://localhost:${port}` },
    stdio: ["ignore", "ignore", "inherit"],
  });
  servers.push(child);
  for (let tries = 0; tries < 200; tries++) {
    if (await fetch(`http://127.0.0.1:${port}/api/payment-links`).catch(() => null))
      return `http://127.0.0.1:${port}`;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing listens on ${port}`);
}

async function measure(targets, made) {
  const body = JSON.stringify({
    email: "ana@example.com",
    currency: "MYR",
    amount: 1250,
    title: "Invoice 1042",
    reference: "INV-1042",
    description: "Two bags of beans",
  });
  const authorization = `Bearer ${made.small.key}`;
  const large = `Bearer ${made.large.key}`;
  const cases = [
    [
      "create link",
      {
        method: "POST",
        path: "/api/payment-links",
        headers: { authorization, "content-type": "application/json" },
        body,
      },
    ],
    ["get link", { path: `/api/payment-links/${made.small.linkId}`, headers: { authorization } }],
    ["list 15 of 1,000", { path: "/api/payment-links", headers: { authorization } }],
    ["list 15 of 100,000", { path: "/api/payment-links", headers: { authorization: large } }],
    ["pay page", { path: `/pay?id=${made.large.linkId}`, headers: { "accept-encoding": "gzip" } }],
  ];
  // Creating adds to the small business, so it comes last.
  const results = [];
  for (const [name, request] of [...cases.slice(1), cases[0]]) {
    const row = { name };
    for (const target of Object.keys(targets)) row[target] = [];
    await Promise.all(Object.values(targets).map((base) => load(base, request, 1)));
    for (let round = 0; round < rounds; round++)
      for (const [target, base] of Object.entries(targets))
        row[target].push(await load(base, request, seconds));
    results.push(row);
    print(row, Object.keys(targets));
  }
  verdict(results);
}

function load(base, request, duration) {
  const job = JSON.stringify({
    url: base + request.path,
    connections: 32,
    duration,
    method: request.method ?? "GET",
    headers: request.headers,
    ...(request.body ? { body: request.body } : {}),
  });
  const [command, list] = on(1, process.execPath, [path.join(root, "scripts/bench/load.mjs"), job]);
  return new Promise((resolve, reject) => {
    const child = spawn(command, list, { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (chunk) => (text += chunk));
    child.on("exit", (code) =>
      code === 0 ? resolve(JSON.parse(text)) : reject(new Error("the load failed")),
    );
  });
}

function best(runs) {
  return runs.reduce((a, b) => (b.rate > a.rate ? b : a));
}

function print(row, names) {
  console.log(`\n${row.name}`);
  for (const name of names) {
    const run = best(row[name]);
    const against =
      name === "kutip" ? "" : `   kutip / ${name} ${(best(row.kutip).rate / run.rate).toFixed(2)}`;
    console.log(
      `  ${name.padEnd(10)}${String(Math.round(run.rate)).padStart(7)}/s   p50 ${run.p50} ms   p99 ${run.p99} ms${run.bad ? `   ${run.bad} not 2xx` : ""}${against}`,
    );
  }
}

function verdict(results) {
  const of = (name) => results.find((row) => row.name === name);
  const ratio = (name, other) => best(of(name).kutip).rate / best(of(name)[other]).rate;
  const aims = [
    ["create at least 1.5 of the reference", ratio("create link", "reference") >= 1.5],
    ["create at least 0.8 of the floor", ratio("create link", "floor") >= 0.8],
    ["get at least 1.5 of the reference", ratio("get link", "reference") >= 1.5],
    ["get at least 0.8 of the floor", ratio("get link", "floor") >= 0.8],
    ["pay page at least 5,000 a second on one core", best(of("pay page").kutip).rate >= 5000],
    [
      "list p50 flat from 1,000 to 100,000 rows",
      best(of("list 15 of 100,000").kutip).p50 <=
        1.25 * Math.max(1, best(of("list 15 of 1,000").kutip).p50),
    ],
  ];
  console.log("");
  for (const [aim, met] of aims) console.log(`${met ? "met   " : "MISSED"}  ${aim}`);
}
