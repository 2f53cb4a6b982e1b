import { readFileSync } from "node:fs";
import path from "node:path";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { pool } from "./client";
import { connectClient, isRemote } from "./connection";
import { projectRoot } from "./embedded/project";
import { keepHeartbeat } from "./heartbeat";

const migrationsFolder = path.join(projectRoot, "db/migrations");
const LOCK = 7_205_460_233;

/** Brings the database of DATABASE_URL to this version's schema; of several at once one does it and the others wait. */
export async function migrateDatabase(): Promise<void> {
  const client = await connectClient(undefined, { statementLimitMs: 0 });
  const stopHeartbeat = isRemote() ? keepHeartbeat() : undefined;
  try {
    // The migrator commits what is begun here, so that the lock lasts exactly as long as the change, behind PgBouncer too.
    await client.query(
      "begin; set local timezone = 'UTC'; set local client_min_messages = error; set local statement_timeout = 0; set local lock_timeout = 0",
    );
    await client.query("select pg_advisory_xact_lock($1)", [LOCK]);
    await migrate(drizzle({ client }), { migrationsFolder });
  } finally {
    stopHeartbeat?.();
    await client.end();
  }
}

/** How many migrations of this version the database has not got yet. Throws when it cannot be reached. */
export async function pendingMigrations(): Promise<number> {
  const { rows: found } = await pool().query<{ there: boolean }>(
    "select to_regclass('drizzle.__drizzle_migrations') is not null as there",
  );
  if (!found[0]?.there) return journal().length;
  const { rows } = await pool().query<{ last: string | null }>(
    "select max(created_at) as last from drizzle.__drizzle_migrations",
  );
  const last = Number(rows[0]?.last ?? 0);
  return journal().filter((entry) => entry.when > last).length;
}

let entries: { when: number }[] | undefined;

function journal(): { when: number }[] {
  entries ??= (
    JSON.parse(readFileSync(path.join(migrationsFolder, "meta/_journal.json"), "utf8")) as {
      entries: { when: number }[];
    }
  ).entries;
  return entries;
}
