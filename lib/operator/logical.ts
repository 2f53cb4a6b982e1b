import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import type pg from "pg";
import { longWork } from "@/db/client";
import { connectClient } from "@/db/connection";
import { readableAfterRestore } from "@/db/events-order";
import { Refusal } from "@/db/embedded/refusal";
import { noteRestore } from "@/db/settings";
import { childEnv, env } from "@/lib/env";
import { secretOfCopy } from "@/lib/supervisor/secret";

/** Backs the server of DATABASE_URL up with the operator's own pg_dump (custom format). */
export async function logicalBackup(file: string): Promise<{ secret: false }> {
  await requireTool("pg_dump");
  await secretOfCopy();
  // Made before with its mode: a dump holds people's addresses.
  rmSync(file, { force: true });
  writeFileSync(file, "", { mode: 0o600 });
  run("pg_dump", ["--format=custom", "--no-owner", "--no-privileges", `--file=${file}`]);
  return { secret: false };
}

/** Restores such a dump with the operator's pg_restore; a database with tables in it is refused unless forced. */
export async function logicalRestore(file: string, force: boolean): Promise<void> {
  if (!existsSync(file)) throw new Refusal(`${file} does not exist`);
  await requireTool("pg_restore");
  const tables = await ask<{ n: number }>(
    "select count(*)::int as n from pg_tables where schemaname = 'public'",
  );
  if ((tables?.n ?? 0) > 0 && !force)
    throw new Refusal(
      "the database of DATABASE_URL is not empty: restore into an empty one, or replace its content with --force",
    );
  run("pg_restore", [
    "--no-owner",
    "--no-privileges",
    "--exit-on-error",
    "--single-transaction",
    ...(force ? ["--clean", "--if-exists"] : []),
    file,
  ]);
  await longWork(readableAfterRestore);
  await noteRestore();
}

async function requireTool(tool: "pg_dump" | "pg_restore"): Promise<void> {
  const found = spawnSync(tool, ["--version"], { encoding: "utf8" });
  const server = Math.floor(
    Number((await ask<{ v: string }>("select current_setting('server_version_num') as v"))?.v) /
      10_000,
  );
  const install = `install the Postgres ${server} client programs (Debian: postgresql-client-${server})`;
  if (found.error || found.status !== 0) throw new Refusal(`${tool} is not installed: ${install}`);
  const version = Number(/(\d+)(\.\d+)?/.exec(found.stdout)?.[1]);
  if (version < server)
    throw new Refusal(`${tool} ${version} is older than the server (${server}): ${install}`);
}

// The password travels in the environment: arguments can be read by every user of the machine.
function run(tool: string, list: string[]): void {
  // Not `new URL`, which cannot read an address with several hosts. The password must not appear in the list of processes.
  const [, before = "", password = "", after = ""] =
    /^(\w+:\/\/[^:@/?#]*)(?::([^@/?#]*))?(.*)$/s.exec(env.DATABASE_URL ?? "") ?? [];
  const result = spawnSync(
    tool,
    [`--dbname=${before}${after.replace(/([?&])pgbouncer=true&?/, "$1")}`, ...list],
    {
      encoding: "utf8",
      env: childEnv(password ? { PGPASSWORD: decodeURIComponent(password) } : {}),
    },
  );
  if (result.status !== 0)
    throw new Refusal(`${tool} failed: ${(result.error?.message ?? result.stderr).trim()}`);
}

async function ask<T extends pg.QueryResultRow>(statement: string): Promise<T | undefined> {
  const client = await connectClient();
  try {
    return (await client.query<T>(statement)).rows[0];
  } finally {
    await client.end();
  }
}
