// Measures the built server against a reference and a floor, in one run on one database.
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "../stamp.mjs";
import {
  bundleTools,
  load,
  paced,
  residentMb,
  requestsFor,
  serve,
  settings,
  tool,
} from "./measure.mjs";
import { atLeast, atMost, median } from "./table.mjs";

const ROUNDS = 7;
const SECONDS = 3;
/** Long enough that a collection of all memory is not most of it. */
const PACED_SECONDS = 10;
/** The share of a server's rate that each other server must reach, as the ratio of their rates in one round. */
const GOALS = {
  "get link": { floor: 1 },
  "list 15 of 1,000": { floor: 0.8, reference: 1.5 },
  "list 15 of 100,000": { floor: 0.8, reference: 1.5 },
  "create link": { floor: 0.8 },
};
const MAX_SPREAD = 3;
const MAX_RESIDENT_MB = 300;

/** The lines of the table about requests. */
export async function requests() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-bench-"));
  await bundleTools(root, ["prepare", "reference", "floor", "cluster"]);
  const env = settings();
  const servers = {};
  try {
    env.DATABASE_URL = tool(root, "cluster", ["start", folder]);
    const made = JSON.parse(tool(root, "prepare", [], env));
    const scripts = {
      kutip: "build/server.js",
      reference: "build/bench/reference.js",
      floor: "build/bench/floor.js",
    };
    for (const [index, [name, script]] of Object.entries(scripts).entries())
      servers[name] = await serve(root, script, 3911 + index, env);
    const lines = [];
    for (const [name, request] of Object.entries(requestsFor(made)))
      lines.push(...(await measure(name, request, servers)));
    const resident = residentMb(servers.kutip.child.pid);
    return [...lines, atMost("memory of web after these (RSS)", MAX_RESIDENT_MB, resident, "MB")];
  } finally {
    for (const { child } of Object.values(servers)) child.kill("SIGKILL");
    tool(root, "cluster", ["stop", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(name, request, servers) {
  const rates = Object.fromEntries(Object.keys(servers).map((server) => [server, []]));
  await Promise.all(Object.values(servers).map(({ origin }) => load(origin, request, 1)));
  for (let round = 0; round < ROUNDS; round++)
    for (const [server, { origin }] of Object.entries(servers)) {
      const { rate, bad } = await load(origin, request, SECONDS);
      if (bad > 0) throw new Error(`${name}: ${bad} answers of ${server} are not 2xx`);
      rates[server].push(rate);
    }
  const shown = Object.entries(rates).map(
    ([server, all]) => `${server} ${Math.round(median(all))}/s`,
  );
  console.error(`bench: ${name}: ${shown.join(", ")}`);
  const ratios = (other) => median(rates.kutip.map((rate, round) => rate / rates[other][round]));
  const against = Object.entries(GOALS[name] ?? {}).map(([other, goal]) =>
    atLeast(`${name}, against the ${other}`, goal, ratios(other), "×"),
  );
  const half = await paced(servers.kutip.origin, request, PACED_SECONDS, median(rates.kutip) / 2);
  if (half.bad > 0) throw new Error(`${name}: ${half.bad} answers are not 2xx`);
  console.error(
    `bench: ${name} at half load: p50 ${half.p50.toFixed(2)}, p99 ${half.p99.toFixed(2)} ms`,
  );
  return [
    ...against,
    atMost(`${name} at half load, p99 of p50`, MAX_SPREAD, half.p99 / half.p50, "×"),
  ];
}
