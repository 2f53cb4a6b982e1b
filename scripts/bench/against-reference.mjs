// Measures the built server against a reference and a floor, in one run on one database.
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "../stamp.mjs";
import { bundleTools, load, requestsFor, serve, settings, tool } from "./measure.mjs";

const ROUNDS = 3;

/** Prints a table and the aims that are met; each run lasts `seconds`. */
export async function againstReference(seconds) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-bench-"));
  await bundleTools(root, ["prepare", "reference", "floor", "cluster"]);
  const env = settings();
  const servers = [];
  try {
    env.DATABASE_URL = tool(root, "cluster", ["start", folder]);
    const made = JSON.parse(tool(root, "prepare", [], env));
    const scripts = {
      kutip: "build/server.js",
      reference: "build/bench/reference.js",
      floor: "build/bench/floor.js",
    };
    for (const [index, script] of Object.values(scripts).entries())
      servers.push(await serve(root, script, 3911 + index, env));
    const targets = Object.fromEntries(
      Object.keys(scripts).map((name, index) => [name, servers[index].origin]),
    );
    verdict(await measure(targets, made, seconds));
  } finally {
    for (const { child } of servers) child.kill("SIGKILL");
    tool(root, "cluster", ["stop", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(targets, made, seconds) {
  const results = [];
  for (const [name, request] of Object.entries(requestsFor(made))) {
    const row = { name };
    for (const target of Object.keys(targets)) row[target] = [];
    await Promise.all(Object.values(targets).map((origin) => load(origin, request, 1)));
    for (let round = 0; round < ROUNDS; round++)
      for (const [target, origin] of Object.entries(targets))
        row[target].push(await load(origin, request, seconds));
    results.push(row);
    print(row, Object.keys(targets));
  }
  return results;
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
