import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { closePool } from "@/db/client";
import { urlFor } from "@/db/embedded/cluster";
import { placesIn } from "@/db/embedded/folder";
import { postmasterOf } from "@/db/embedded/postmaster";
import { provideEnv } from "@/lib/env";

/** The whole install as `npm start` runs it, on a data folder and a port of the proof's own. */
export type Service = {
  url: string;
  key: string;
  businessId: number;
  /** The owner of the demo business. */
  owner: { email: string; password: string };
  /** Settings with which another process of the same install can be started; `socketDir` is Postgres's. */
  settings: Record<string, string>;
  socketDir: string;
  pidOf: (process: "web" | "worker") => number | undefined;
  /** To its supervisor. */
  signal: (name: NodeJS.Signals) => void;
  kill: (what: Victim) => void;
  healthy: () => Promise<boolean>;
  join: () => void;
  stop: () => Promise<void>;
};
export const victims = [
  "database stops at once",
  "database killed with -9",
  "web killed with -9",
  "worker killed with -9",
] as const;
export type Victim = (typeof victims)[number];

export const noLimits = {
  RATE_LIMIT_KEY: "0",
  RATE_LIMIT_BUSINESS: "0",
  RATE_LIMIT_ANONYMOUS: "0",
  RATE_LIMIT_SIGN_IN: "0",
  RATE_LIMIT_PAYER: "0",
  RATE_LIMIT_COST: "0",
  RATE_LIMIT_TIME: "0",
};

/**
 * Starts the built install; `limits` replaces the rate limits, which are off otherwise. A folder for its data that is given stays when it
 * stops; warnings go to the file `log`.
 */
export async function startService(
  limits: Record<string, string> = noLimits,
  { folder: given, log }: { folder?: string; log?: string } = {},
): Promise<Service> {
  const folder = given ?? mkdtempSync(path.join(os.tmpdir(), "kutip-proof-"));
  const url = `http://localhost:${await freePort()}`;
  const output = log === undefined ? "ignore" : openSync(log, "a");
  const child = spawn(process.execPath, ["build/kutip.js", "start"], {
    env: {
      ...process.env,
      ...limits,
      NODE_ENV: "production",
      PORT: new URL(url).port,
      BASE_URL: url,
      KUTIP_DATA_DIR: folder,
      DATABASE_URL: "",
      LOG_LEVEL: log === undefined ? "fatal" : "warn",
      WORKER_POLL_MS: "100",
    },
    stdio: ["ignore", output, output],
  });
  if (typeof output === "number") closeSync(output);
  const places = placesIn(folder);
  const healthy = () =>
    fetch(`${url}/api/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await healthy())) {
    if (child.exitCode !== null) throw new Error("the install does not start");
    await pause(100);
  }
  const first = JSON.parse(readFileSync(places.firstRun, "utf8")) as {
    api_key: string;
    business_id: number;
    email: string;
    password: string;
  };
  const postmaster = postmasterOf(places.cluster);
  if (postmaster.state !== "alive") throw new Error("no database runs");
  const settings = {
    BASE_URL: url,
    DATABASE_URL: urlFor(postmaster.socketDir),
    KUTIP_SECRET: readFileSync(places.secret, "utf8").trim(),
    LOG_LEVEL: "silent",
  };
  const pidOf = (process: "web" | "worker") =>
    childOf(child.pid ?? 0, process === "web" ? "build/server.js" : "build/worker.js");
  return {
    url,
    healthy,
    key: first.api_key,
    businessId: first.business_id,
    owner: { email: first.email, password: first.password },
    settings,
    socketDir: postmaster.socketDir,
    pidOf,
    signal: (name) => void child.kill(name),
    kill: (what) => kill(what, pidOf, places.cluster),
    join: () => provideEnv(settings),
    stop: async () => {
      await closePool().catch(() => undefined);
      const gone = new Promise((resolve) => child.once("exit", resolve));
      if (child.exitCode === null && child.kill("SIGTERM")) await gone;
      if (given === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function kill(what: Victim, pidOf: Service["pidOf"], cluster: string): void {
  const postmaster = postmasterOf(cluster);
  const pid = what.startsWith("database")
    ? postmaster.state === "alive"
      ? postmaster.pid
      : undefined
    : pidOf(what.startsWith("web") ? "web" : "worker");
  if (pid) process.kill(pid, what === "database stops at once" ? "SIGQUIT" : "SIGKILL");
}

function childOf(parent: number, script: string): number | undefined {
  const found = readdirSync("/proc").find((name) => {
    try {
      const above = Number(
        readFileSync(`/proc/${name}/stat`, "utf8")
          .replace(/^.*\) /s, "")
          .split(" ")[1],
      );
      return (
        above === parent &&
        readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes(script)
      );
    } catch {
      return false;
    }
  });
  return found === undefined ? undefined : Number(found);
}

/** A port of the loopback that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
