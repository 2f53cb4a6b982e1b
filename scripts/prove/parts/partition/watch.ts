import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { createLink, type Web } from "../failover/probes";

const EVERY_MS = 500;

/** Requests to a web process, a new one every half second, until stopped. */
export type Watch = {
  /** Seconds since the last acknowledged write, Infinity before the first. */
  silent: () => number;
  stop: () => Promise<{ requests: number; acknowledged: number; longestSeconds: number }>;
};

/** Watches a web process; what is acknowledged goes to `links`. */
export function watchWeb(web: Web, key: string, links: Map<string, string>): Watch {
  let running = true;
  let last = Number.NEGATIVE_INFINITY;
  const seen = { requests: 0, acknowledged: 0, longestSeconds: 0 };
  const under = new Set<Promise<void>>();
  const once = async () => {
    const title = `Watched ${++seen.requests}`;
    const began = performance.now();
    const id = await createLink(web.url, key, title, 60_000);
    seen.longestSeconds = Math.max(seen.longestSeconds, (performance.now() - began) / 1_000);
    if (!id) return;
    links.set(id, title);
    seen.acknowledged++;
    last = Math.max(last, began);
  };
  const loop = (async () => {
    while (running) {
      const one = once().finally(() => under.delete(one));
      under.add(one);
      await pause(EVERY_MS);
    }
    await Promise.all(under);
  })();
  return {
    silent: () => (performance.now() - last) / 1_000,
    stop: async () => {
      running = false;
      await loop;
      return seen;
    },
  };
}

/** A client without any limit of its own: it asks again and again, and says when it gets an answer. */
export type Plain = { silent: () => number; stop: () => void };

const QUERIES = `import pg from "pg";
const client = new pg.Client(process.argv[1]);
client.on("error", () => process.exit(1));
await client.connect();
for (;;) { await client.query("select 1"); console.log("answered"); await new Promise((go) => setTimeout(go, 200)); }`;
const CALLS = `import http from "node:http";
const agent = new http.Agent({ keepAlive: true });
for (;;) {
  await new Promise((done) => http.get(process.argv[1], { agent }, (answer) => answer.resume().on("end", done)).on("error", done));
  console.log("answered");
  await new Promise((go) => setTimeout(go, 200));
}`;

/** Starts one on a machine, against Postgres or over HTTP, and waits for its first answer. */
export async function plainClient(
  enter: readonly string[],
  to: "postgres" | "http",
  url: string,
): Promise<Plain> {
  const script = to === "postgres" ? QUERIES : CALLS;
  const [program = "", ...args] = [
    ...enter,
    process.execPath,
    "--input-type=module",
    "-e",
    script,
    url,
  ];
  const child: ChildProcess = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  let last = 0;
  const first = new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", () => {
      last = performance.now();
      resolve();
    });
    child.on("exit", () => reject(new Error("the plain client has ended")));
  });
  first.catch(() => undefined);
  await first;
  return {
    silent: () => (performance.now() - last) / 1_000,
    stop: () => void child.kill("SIGKILL"),
  };
}
