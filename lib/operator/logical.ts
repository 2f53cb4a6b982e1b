import { spawnSync } from "node:child_process";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type pg from "pg";
import { connectClient, directUrl, hostsOf, isPooled } from "@/db/connection";
import { readableAfterRestore } from "@/db/events-order";
import type { Places } from "@/db/embedded/folder";
import { Refusal } from "@/db/embedded/refusal";
import { noteRestoreOn, renewInstallId } from "@/db/settings";
import { copySession } from "@/db/transfer/session";
import { markRestore, unmarkRestore } from "@/db/unfinished-restore";
import { halfOf } from "@/lib/backups/half-file";
import { childEnv } from "@/lib/env";
import { confirmSecretOfCopy, requireSecrets, secretOfCopy } from "@/lib/supervisor/secret";
import { assertRestorable } from "./dump-file";
import { refuseBesideOthers } from "./processes";

const PASSWORD = "password=";

/** Backs the server up with the operator's own pg_dump (custom format). */
export async function logicalBackup(file: string): Promise<{ secret: false }> {
  await requireTool("pg_dump");
  const secret = await secretOfCopy();
  const half = halfOf(file);
  try {
    // Made before with its mode: a dump holds people's addresses.
    writeFileSync(half, "", { flag: "wx", mode: 0o600 });
    run("pg_dump", ["--format=custom", "--no-owner", "--no-privileges", `--file=${half}`]);
    await confirmSecretOfCopy(secret);
    renameSync(half, file);
  } catch (error) {
    rmSync(half, { force: true });
    throw error;
  }
  return { secret: false };
}

/**
 * Restores such a dump with the operator's pg_restore. A database with tables in it is refused unless forced. One that processes use is always
 * refused, and so is a file that this install could not use.
 */
export async function logicalRestore(
  file: string,
  force: boolean,
  { secret }: Pick<Places, "secret">,
): Promise<void> {
  if (!existsSync(file)) throw new Refusal(`${file} does not exist`);
  await requireTool("pg_restore");
  const tables = await ask<{ n: number }>(
    "select count(*)::int as n from pg_tables where schemaname = 'public'",
  );
  if ((tables?.n ?? 0) > 0 && !force)
    throw new Refusal(
      "the database of DATABASE_URL is not empty: restore into an empty one, or replace its content with --force",
    );
  await assertRestorable(file, await requireSecrets(secret, "backed up"));
  const before = await contentId();
  const isFirst = await markRestore();
  try {
    await refuseBesideOthers("would go on with what they have read");
    run("pg_restore", [
      "--no-owner",
      "--no-privileges",
      "--exit-on-error",
      "--single-transaction",
      // Kutip has none, and those of extensions belong to the superuser who made them.
      "--no-comments",
      ...(force ? ["--clean", "--if-exists"] : []),
      file,
    ]);
  } catch (error) {
    if (isFirst && (await contentId()) === before) await unmarkRestore();
    throw error;
  }
  // The note first, as pg_restore has committed: without it renewals would charge what was paid after the backup.
  await copySession("", async (client) => {
    await noteRestoreOn(client);
    await renewInstallId(client);
  });
  await copySession("", readableAfterRestore);
}

/** Changes when pg_restore commits: it makes each table anew. */
const contentId = async () =>
  (await ask<{ id: string | null }>("select to_regclass('public.settings')::oid::text as id"))?.id;

async function requireTool(tool: "pg_dump" | "pg_restore"): Promise<void> {
  if (isPooled())
    throw new Refusal(
      `${tool} cannot work through PgBouncer: set DATABASE_DIRECT_URL to the server itself`,
    );
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

// These programs change their session, so they need one of their own. Several hosts are tried in turn, and a standby is passed over.
function run(tool: string, list: string[]): void {
  const url = directUrl() ?? "";
  // Not `new URL`, which cannot read an address with several hosts. Every user of the machine can read arguments, so the password travels in the environment.
  const [, scheme = "", user = "", password = "", place = "", query = ""] =
    /^(\w+:\/\/)(?:([^:@/?#]*)(?::([^/?#]*))?@)?([^?]*)\??(.*)$/s.exec(url) ?? [];
  const given = query.split("&").filter((one) => one !== "" && !one.startsWith("pgbouncer="));
  // As pg, which prefers this one.
  const hidden = given.find((one) => one.startsWith(PASSWORD))?.slice(PASSWORD.length) || password;
  const parameters = [
    ...given.filter((one) => !one.startsWith(PASSWORD)),
    ...(hostsOf(url).length > 1 ? ["target_session_attrs=read-write"] : []),
  ].join("&");
  const environment = childEnv();
  const result = spawnSync(
    tool,
    [`--dbname=${scheme}${user && `${user}@`}${place}${parameters && `?${parameters}`}`, ...list],
    {
      encoding: "utf8",
      env: {
        ...environment,
        // As in SETTINGS of db/transfer/session.ts.
        PGOPTIONS: `${environment.PGOPTIONS ?? ""} -c tcp_user_timeout=0`.trim(),
        ...(hidden ? { PGPASSWORD: decodeURIComponent(hidden) } : {}),
      },
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
