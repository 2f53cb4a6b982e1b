import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { startCluster, stopCluster } from "@/db/embedded/cluster";
import { migrateDatabase } from "@/db/migrate";
import { provideEnv } from "@/lib/env";

const prefix = "kutip-test-";

/** Gives all database tests of a run one migrated database: on TEST_DATABASE_URL, else on an embedded Postgres of their own. */
export default async function setUp(): Promise<() => Promise<void>> {
  const server = process.env.TEST_DATABASE_URL;
  const { url, remove } = server ? await freshDatabase(server) : await freshCluster();
  provideEnv({
    DATABASE_URL: url,
    KUTIP_SECRET: randomBytes(32).toString("hex"),
    LOG_LEVEL: process.env.LOG_LEVEL ?? "silent",
  });
  await migrateDatabase();
  return remove;
}

async function freshCluster() {
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
    url,
    remove: async () => {
      stopCluster(folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freshDatabase(server: string) {
  const name = `kutip_test_${randomBytes(6).toString("hex")}`;
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await run(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, remove: () => run(`drop database ${name} with (force)`) };
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
