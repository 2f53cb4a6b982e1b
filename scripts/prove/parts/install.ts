import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { startCluster, stopCluster } from "@/db/embedded/cluster";
import { migrateDatabase } from "@/db/migrate";
import { provideEnv } from "@/lib/env";

export type Install = {
  settings: Record<string, string>;
  /** Stops and starts its database. */
  stop: () => void;
  start: () => Promise<void>;
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
