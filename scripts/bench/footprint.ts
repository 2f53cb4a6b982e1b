import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { closePool, db, withTransaction } from "@/db/client";
import { urlFor } from "@/db/embedded/cluster";
import { placesIn } from "@/db/embedded/folder";
import { postmasterOf } from "@/db/embedded/postmaster";
import { systemCtx } from "@/lib/domain/context";
import { insertEndpoint } from "@/lib/domain/webhooks/rows";
import { newSecret } from "@/lib/domain/webhooks/secrets";
import { provideEnv } from "@/lib/env";
import { freePort } from "../prove/parts/service";
import { familyMs, familyOf } from "./processor";
import { median } from "./table.mjs";

// Prints JSON. `startMs`: from `npm start` of a built tree to the first answer. `memory`: of each process when idle (PSS, MB). `idle`: the share of a
// core and the transactions a second. `toldMs`: from a call to its webhook.
const STARTS = 5;
const SETTLE_SECONDS = 45;
const IDLE_SECONDS = 60;
const LINKS = 11;
const LIMIT_MS = 60_000;
const PROCESSES = {
  web: ["build/server.js"],
  worker: ["build/worker.js"],
  "supervisor and bootstrap": ["build/kutip.js", "scripts/bootstrap.mjs"],
};

const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-footprint-"));
chmodSync(folder, 0o711);
const data = path.join(folder, "data");
const port = await freePort();
const url = `http://localhost:${port}`;

type Running = { child: ChildProcess; ms: number; stop: () => Promise<void> };

async function start(): Promise<Running> {
  const began = performance.now();
  const child = spawn(process.execPath, ["scripts/bootstrap.mjs", "start"], {
    env: {
      ...process.env,
      NODE_ENV: "production",
      PORT: String(port),
      BASE_URL: url,
      KUTIP_DATA_DIR: data,
      DATABASE_URL: "",
      LOG_LEVEL: "fatal",
      WEBHOOK_ALLOW_PRIVATE: "true",
    },
    stdio: "ignore",
  });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  const stop = async () => {
    child.kill("SIGTERM");
    await gone;
  };
  const ready = async () => (await fetch(`${url}/api/health/ready`).catch(() => undefined))?.ok;
  while (!(await ready())) {
    if (child.exitCode !== null || performance.now() - began > LIMIT_MS)
      throw new Error("the install does not start");
    await pause(5);
  }
  return { child, ms: performance.now() - began, stop };
}

const pssMb = (pid: number) =>
  Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1024;

function memory(pid: number): Record<string, number> {
  const family = familyOf(pid).map((one) => ({
    ...one,
    command: readFileSync(`/proc/${one.pid}/cmdline`, "utf8"),
  }));
  return Object.fromEntries(
    Object.entries(PROCESSES).map(([name, scripts]) => {
      const found = family.filter(({ command }) => scripts.some((one) => command.includes(one)));
      return [name, found.reduce((sum, one) => sum + pssMb(one.pid), 0)];
    }),
  );
}

async function transactions(): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(
    sql`select (xact_commit + xact_rollback)::float8 as n from pg_stat_database where datname = current_database()`,
  );
  return rows[0]?.n ?? 0;
}

/** Share of a core, in percent, and transactions a second, of an install that has nothing to do. */
async function idle(pid: number, postmaster: number): Promise<{ core: number; rate: number }> {
  const used = () => familyMs(pid) + (postmasterIsOurs(pid, postmaster) ? 0 : familyMs(postmaster));
  const [ms, count, began] = [used(), await transactions(), performance.now()];
  await pause(IDLE_SECONDS * 1_000);
  const took = performance.now() - began;
  return {
    core: ((used() - ms) * 100) / took,
    rate: (((await transactions()) - count) * 1_000) / took,
  };
}

const postmasterIsOurs = (pid: number, postmaster: number) =>
  familyOf(pid).some((one) => one.pid === postmaster);

/** Milliseconds from the answer to a call until its webhook is there, while nothing else is to be done. */
async function untilTold({
  key,
  businessId,
}: {
  key: string;
  businessId: number;
}): Promise<number> {
  let tell: () => void = () => undefined;
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200).end());
    tell();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const ctx = systemCtx({ businessId, mode: "test" }, { kind: "operator" }, "bench");
  await withTransaction((tx) =>
    insertEndpoint(ctx, tx, {
      url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
      description: null,
      events: null,
      enabled: true,
      secret: newSecret().sealed,
    }),
  );
  const body = { email: "ana@example.com", currency: "MYR", amount: 500, title: "Tea" };
  const times: number[] = [];
  for (let made = 0; made < LINKS; made++) {
    const told = new Promise<void>((resolve) => (tell = resolve));
    const answer = await fetch(`${url}/api/payment-links`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...body, send_email: false }),
    });
    if (!answer.ok) throw new Error(`no link: ${answer.status}`);
    const began = performance.now();
    await told;
    times.push(performance.now() - began);
    // At another moment between two looks for due work each time.
    await pause(1_000 + made * 50);
  }
  receiver.close();
  receiver.closeAllConnections();
  return median(times);
}

async function measure(): Promise<void> {
  await (await start()).stop();
  const starts: number[] = [];
  for (let round = 0; round < STARTS; round++) {
    const one = await start();
    starts.push(one.ms);
    await one.stop();
  }
  const { child, stop } = await start();
  try {
    await pause(SETTLE_SECONDS * 1_000);
    const places = placesIn(data);
    const postmaster = postmasterOf(places.cluster);
    if (postmaster.state !== "alive" || child.pid === undefined) throw new Error("nothing runs");
    provideEnv({
      DATABASE_URL: urlFor(postmaster.socketDir),
      KUTIP_SECRET: readFileSync(places.secret, "utf8").trim(),
      LOG_LEVEL: "fatal",
    });
    const demo = JSON.parse(readFileSync(places.firstRun, "utf8")) as {
      api_key: string;
      business_id: number;
    };
    const figures = {
      startMs: median(starts),
      memory: memory(child.pid),
      idle: await idle(child.pid, postmaster.pid),
      toldMs: await untilTold({ key: demo.api_key, businessId: demo.business_id }),
    };
    process.stdout.write(JSON.stringify(figures));
  } finally {
    await closePool();
    await stop();
  }
}

let code = 0;
try {
  await measure();
} catch (error) {
  console.error(error);
  code = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}
