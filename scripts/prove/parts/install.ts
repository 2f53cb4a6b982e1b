import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startCluster, stopCluster } from "@/db/embedded/cluster";
import { placesIn } from "@/db/embedded/folder";
import { postmasterOf } from "@/db/embedded/postmaster";
import { migrateDatabase } from "@/db/migrate";
import { provideEnv } from "@/lib/env";

export type Install = {
  settings: Record<string, string>;
  /** Stops and starts its database. */
  stop: () => void;
  start: () => Promise<void>;
  /** Ends its database at once, as the loss of its machine would, and starts it again. */
  crash: () => Promise<void>;
  remove: () => void;
};

/** A database of the proof's own, migrated, on an embedded server with its ordinary safety settings; this process and its children use it. */
export async function newInstall({ maxConnections = 200 } = {}): Promise<Install> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-proof-"));
  const start = () =>
    startCluster(folder, { settings: { max_connections: String(maxConnections) } });
  const { url } = await start();
  const settings = {
    DATABASE_URL: url,
    KUTIP_SECRET: randomBytes(32).toString("hex"),
    LOG_LEVEL: "fatal",
  };
  provideEnv(settings);
  await migrateDatabase();
  return {
    settings,
    stop: () => stopCluster(folder),
    start: async () => void (await start()),
    crash: async () => {
      const { cluster } = placesIn(folder);
      const running = postmasterOf(cluster);
      if (running.state === "alive") process.kill(running.pid, "SIGQUIT");
      while (postmasterOf(cluster).state === "alive") await pause(50);
      await start();
    },
    remove: () => {
      stopCluster(folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a built worker as a process of its own. */
export function startWorker(install: Install, settings: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ["build/worker.js"], {
    env: { ...process.env, NODE_ENV: "production", ...install.settings, ...settings },
    stdio: ["ignore", "ignore", "inherit"],
  });
}
