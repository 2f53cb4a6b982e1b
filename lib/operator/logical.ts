import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readableAfterRestore } from "@/db/events-order";
import type { Places } from "@/db/embedded/folder";
import { Refusal } from "@/db/embedded/refusal";
import { noteRestoreOn, renewInstallId } from "@/db/settings";
import { copySession } from "@/db/transfer/session";
import { markRestore, unmarkRestore } from "@/db/unfinished-restore";
import { halfOf } from "@/lib/backups/half-file";
import { confirmSecretOfCopy, requireSecrets, secretOfCopy } from "@/lib/supervisor/secret";
import { readRestorable, RESTORED_AS } from "./dump-file";
import { queryOnce, requireProgram, runProgram } from "./postgres-programs";
import { refuseBesideOthers } from "./processes";
import { replaceContent } from "./replace-content";

/** Backs the server up with the operator's own pg_dump (custom format). */
export async function logicalBackup(file: string): Promise<{ secret: false }> {
  await requireProgram("pg_dump");
  const secret = await secretOfCopy();
  const half = halfOf(file);
  try {
    // Made before with its mode: a dump holds people's addresses.
    writeFileSync(half, "", { flag: "wx", mode: 0o600 });
    await runProgram("pg_dump", [
      "--format=custom",
      "--no-owner",
      "--no-privileges",
      `--file=${half}`,
    ]);
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
  await requireProgram("pg_restore");
  if (force) await requireProgram("psql");
  const tables = await queryOnce<{ n: number }>(
    "select count(*)::int as n from pg_tables where schemaname = 'public'",
  );
  if ((tables?.n ?? 0) > 0 && !force)
    throw new Refusal(
      "the database of DATABASE_URL is not empty: restore into an empty one, or replace its content with --force",
    );
  const { schemas } = await readRestorable(file, await requireSecrets(secret, "backed up"));
  const before = await contentId();
  const isFirst = await markRestore();
  try {
    await refuseBesideOthers("would go on with what they have read");
    if (force) await replaceContent(file, schemas);
    else
      await runProgram("pg_restore", [
        ...RESTORED_AS,
        "--exit-on-error",
        "--single-transaction",
        file,
      ]);
  } catch (error) {
    if (isFirst && (await contentId()) === before) await unmarkRestore();
    throw error;
  }
  // The note first, as the rows are committed: without it renewals would charge what was paid after the backup.
  await copySession("", async (client) => {
    await noteRestoreOn(client);
    await renewInstallId(client);
  });
  await copySession("", readableAfterRestore);
}

/** Changes when a restore commits: it makes each table anew. */
const contentId = async () =>
  (await queryOnce<{ id: string | null }>("select to_regclass('public.settings')::oid::text as id"))
    ?.id;
