import { type ChildProcess, spawn } from "node:child_process";
import { connect, createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { expected, told } from "../proof";
import { freePort, type Service } from "../service";
import { type Answer, call } from "./client";

const LOST_SECONDS = 35;
const NOTICED_SECONDS = 10;
const CALLS = 40;

/** A line to the database on which nothing arrives any more is noticed; no call hangs, and all is well once the line is. */
export async function lostNetwork(service: Service): Promise<void> {
  const line = await openLine(path.join(service.socketDir, ".s.PGSQL.5432"));
  const port = await freePort();
  const settings: NodeJS.ProcessEnv = {
    ...process.env,
    ...service.settings,
    NODE_ENV: "production",
    DATABASE_URL: `postgres://kutip@127.0.0.1:${line.port}/kutip`,
    BASE_URL: `http://localhost:${port}`,
    PORT: String(port),
  };
  const children: ChildProcess[] = [];
  const start = (script: string) =>
    children.push(spawn(process.execPath, [script], { env: settings, stdio: "ignore" }));
  const origin = `http://127.0.0.1:${port}`;
  try {
    start("build/server.js");
    start("build/worker.js");
    await until(async () => (await call(origin, "/api/health/ready")).status === 200, 30);
    const list = () =>
      call(origin, "/api/payment-links", {
        headers: { authorization: `Bearer ${service.key}` },
      });
    await Promise.all(Array.from({ length: CALLS }, list));

    line.lose();
    const lost = Promise.all(Array.from({ length: CALLS }, list));
    const noticed = await until(
      async () => (await call(origin, "/api/health/ready", { limitSeconds: 15 })).status === 503,
      30,
    );
    told(
      "seconds until a lost database is noticed",
      noticed.toFixed(1),
      noticed <= NOTICED_SECONDS + 1,
    );
    expected("the process answers meanwhile", (await call(origin, "/api/health/live")).status, 200);
    const answers = await lost;
    told("slowest call into it, seconds", (slowest(answers) / 1_000).toFixed(1));
    expected("its answers other than 503, or unanswered", others(answers, 503), []);
    await pause(Math.max(0, LOST_SECONDS - noticed) * 1_000);

    line.mend();
    const back = await until(async () => (await list()).status === 200, 30);
    told("seconds until calls work again", back.toFixed(1), back <= NOTICED_SECONDS);
    const after = await Promise.all(Array.from({ length: CALLS }, list));
    expected("answers after it other than 200", others(after, 200), []);
    const worker = await until(() => workerSeen(children[1]?.pid ?? 0), 30);
    told("seconds until the worker works again", worker.toFixed(1), worker <= NOTICED_SECONDS);
  } finally {
    for (const child of children) child.kill("SIGKILL");
    line.close();
  }
}

const slowest = (answers: Answer[]) => Math.max(...answers.map(({ ms }) => ms));
const others = (answers: Answer[], wanted: number) =>
  answers.map(({ status }) => status).filter((status) => status !== wanted);

async function workerSeen(pid: number): Promise<boolean> {
  const { rows } = await db.execute<{ seen: boolean }>(
    sql`select max(seen_at) > now() - interval '4 seconds' as seen from workers where pid = ${pid}`,
  );
  return rows[0]?.seen ?? false;
}

/** Seconds until `holds`; the limit where it never does. */
export async function until(holds: () => Promise<boolean>, limitSeconds: number): Promise<number> {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1_000;
  while (seconds() < limitSeconds) {
    if (await holds()) return seconds();
    await pause(100);
  }
  return Number.POSITIVE_INFINITY;
}

/** A TCP line to a unix socket. `lose`: bytes are swallowed, nothing is closed; `mend`: new connections work, the lost ones stay dead. */
async function openLine(socketPath: string) {
  let lost = false;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    sockets.add(near);
    near.on("error", () => undefined);
    if (lost) return;
    const far = connect(socketPath);
    sockets.add(far);
    far.on("error", () => near.destroy());
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    lose: () => {
      lost = true;
      for (const socket of sockets) {
        socket.unpipe();
        socket.removeAllListeners("close");
        socket.on("data", () => undefined);
        socket.resume();
      }
    },
    mend: () => {
      lost = false;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
