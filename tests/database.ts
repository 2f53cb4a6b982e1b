import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { startCluster, stopCluster } from "@/db/embedded/cluster";
import { distribute } from "@/db/distribute";
import { migrateDatabase } from "@/db/migrate";
import { provideEnv } from "@/lib/env";
import { closeForCopies, makeDatabase } from "./make-database";

const prefix = "kutip-test-";

declare module "vitest" {
  interface ProvidedContext {
    /** A server, and the name of a migrated database on it that nothing connects to. */
    database: { server: string; template: string };
  }
}

const CLUSTER_SHARDS = 4;

/**
 * Migrates a database that the test files copy: on the server of TEST_DATABASE_URL, spread over the cluster with the coordinator TEST_CITUS_URL,
 * else on an embedded Postgres of the run's own.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { server, stop } = await findServer();
  const template = await makeDatabase(server);
  provideEnv({
    DATABASE_URL: template.url,
    KUTIP_SECRET: randomBytes(32).toString("hex"),
    LOG_LEVEL: process.env.LOG_LEVEL ?? "silent",
  });
  await migrateDatabase();
  if (process.env.TEST_CITUS_URL) {
    await distribute(CLUSTER_SHARDS);
    await closeForCopies(server, template.name);
  }
  project.provide("database", { server, template: template.name });
  return async () => {
    await template.remove();
    await stop();
  };
}

async function findServer(): Promise<{ server: string; stop: () => Promise<void> }> {
  const given = process.env.TEST_CITUS_URL ?? process.env.TEST_DATABASE_URL;
  if (given) return { server: given, stop: async () => undefined };
  removeAbandoned();
  const folder = path.join(
    os.tmpdir(),
    `${prefix}${process.pid}-${randomBytes(4).toString("hex")}`,
  );
  mkdirSync(folder);
  const { url } = await startCluster(folder, {
    settings: {
      fsync: "off",
      synchronous_commit: "off",
      full_page_writes: "off",
      max_connections: "200",
    },
  });
  return {
    server: url,
    stop: async () => {
      stopCluster(folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// A run that was killed could not stop its server.
function removeAbandoned() {
  for (const name of readdirSync(os.tmpdir())) {
    const owner = name.startsWith(prefix) ? Number(name.slice(prefix.length).split("-")[0]) : 0;
    if (!owner || alive(owner)) continue;
    const folder = path.join(os.tmpdir(), name);
    try {
      stopCluster(folder);
      rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      console.error(
        `${folder} of an earlier run could not be removed: ${(error as Error).message}`,
      );
    }
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}
