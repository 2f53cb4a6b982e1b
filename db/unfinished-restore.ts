import { sql } from "drizzle-orm";
import { db, type Executor } from "./client";
import { Refusal } from "./embedded/refusal";

// A schema of its own: a forced restore drops only those of Kutip and of the dump, and a role that restores may create schemas.
const MARK = "kutip_restoring";

/** Marks the database until its restore is noted: pg_restore commits the rows before that. False where it was marked already. */
export async function markRestore(): Promise<boolean> {
  if (await isRestoreUnfinished()) return false;
  await db.execute(sql`create schema ${sql.identifier(MARK)}`);
  return true;
}

/** Takes the mark away. */
export async function unmarkRestore(on: Executor = db): Promise<void> {
  await on.execute(sql`drop schema if exists ${sql.identifier(MARK)}`);
}

/** Whether a restore has started and is not noted. */
export async function isRestoreUnfinished(): Promise<boolean> {
  const { rows } = await db.execute<{ found: boolean }>(
    sql`select to_regnamespace(${MARK}) is not null as found`,
  );
  return rows[0]?.found ?? false;
}

export const UNFINISHED_RESTORE =
  "a restore into this database is under way or did not end: run npm run -s kutip -- restore FILE --force again. To go on with what is there now, run npm run -s kutip -- backup:restored";

/** Throws a Refusal while the rows may be older than their note says: renewals would charge again. */
export async function assertRestoreFinished(): Promise<void> {
  if (await isRestoreUnfinished()) throw new Refusal(UNFINISHED_RESTORE);
}
