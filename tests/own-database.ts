import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeEach } from "vitest";
import { closePool } from "@/db/client";
import { connectionOptions } from "@/db/connection";
import { migrateDatabase } from "@/db/migrate";
import { env, provideEnv } from "@/lib/env";

/** An install of its own for each test of a file: a database on the shared server, migrated or filled by `prepare`. Call it before other hooks of the file. */
export function ownDatabaseEach(prepare: () => Promise<unknown> = () => migrateDatabase()): void {
  const shared = env.DATABASE_URL ?? "";
  const made: string[] = [];
  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client(connectionOptions(shared));
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  beforeEach(async () => {
    await closePool();
    const name = `kutip_own_${randomBytes(6).toString("hex")}`;
    await run(`create database ${name}`);
    made.push(name);
    const url = new URL(shared);
    url.pathname = `/${name}`;
    provideEnv({ DATABASE_URL: url.href });
    await prepare();
  });
  afterAll(async () => {
    await closePool();
    for (const name of made) await run(`drop database ${name} with (force)`);
  });
}
