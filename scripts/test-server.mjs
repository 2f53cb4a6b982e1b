import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { root } from "./stamp.mjs";

/**
 * Starts the built install on a free port with a data folder of its own and gives { url, folder, database, log, stop, pid }. `words` follow its `start`.
 * With TEST_DATABASE_URL it gets a new database there instead of an embedded server.
 */
export async function startTestServer(settings = {}, words = []) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-e2e-"));
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const database = process.env.TEST_DATABASE_URL
    ? await newDatabase(process.env.TEST_DATABASE_URL)
    : null;
  const log = `${folder}.log`;
  const out = openSync(log, "a", 0o600);
  const child = spawn(process.execPath, [path.join(root, "build/kutip.js"), "start", ...words], {
    cwd: root,
    env: {
      ...clean(),
      PORT: String(port),
      BASE_URL: url,
      KUTIP_DATA_DIR: folder,
      NODE_ENV: "production",
      ...(database ? { DATABASE_URL: database.url } : {}),
      ...settings,
    },
    stdio: ["ignore", out, out],
  });
  let code = null;
  const gone = new Promise((resolve) =>
    child.once("exit", (status) => resolve((code = status ?? 1))),
  );
  const stop = async () => {
    child.kill("SIGTERM");
    await gone;
    await database?.drop();
    for (const place of [folder, log]) rmSync(place, { recursive: true, force: true });
  };
  for (let waited = 0; waited < 60_000 && code === null; waited += 50) {
    const answer = await fetch(`${url}/api/health`).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok) return { url, folder, database: database?.url, log, stop, pid: child.pid };
    await pause(50);
  }
  const said = readFileSync(log, "utf8").slice(-4000);
  await stop();
  throw new Error(`the server did not become healthy; it said:\n${said}`);
}

/** The environment without our settings: those of the person who runs the tests are not those of the tests. */
export function clean() {
  const named = /^#?([A-Z\d_]+)=/gm;
  const names = [...readFileSync(path.join(root, ".env.example"), "utf8").matchAll(named)].map(
    ([, name]) => name,
  );
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.includes(name)));
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function newDatabase(server) {
  const { default: pg } = await import("pg");
  const name = `kutip_e2e_${randomBytes(6).toString("hex")}`;
  const run = async (statement) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await run(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(`drop database ${name} with (force)`) };
}
