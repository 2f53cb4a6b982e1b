import type pg from "pg";
import { pool } from "../client";
import { Refusal } from "../embedded/refusal";
import { refuseWithoutExtensions } from "../extensions";
import { migrateDatabase } from "../migrate";
import { readMigrations } from "../migration-files";
import type { ExportHead } from "./parts";

/** Whether the database holds a business or an account, or tables of another program. */
export async function isInUse(database: Pick<pg.Client, "query"> = pool()): Promise<boolean> {
  const { rows: found } = await database.query<{ ours: boolean; tables: number }>(
    `select to_regclass('public.businesses') is not null and to_regclass('public.auth_users') is not null as ours,
      (select count(*)::int from pg_tables where schemaname = 'public') as tables`,
  );
  const [there] = found;
  if (!there?.ours) return there?.tables !== 0;
  const { rows } = await database.query<{ used: boolean }>(
    "select exists (select 1 from businesses) or exists (select 1 from auth_users) as used",
  );
  return rows[0]?.used ?? true;
}

/** Throws a Refusal unless the database holds no business and no account. */
export async function assertEmpty(database?: Pick<pg.Client, "query">): Promise<void> {
  if (await isInUse(database))
    throw new Refusal(
      "the database is not empty: import into a new data folder (KUTIP_DATA_DIR) or into an empty database (DATABASE_URL)",
    );
}

/**
 * Gives an empty database the schema that the export was made with. Throws a Refusal when this version does not know it, or when the
 * upgrade that follows, unless it stays as exported, needs extensions that cannot be had.
 */
export async function makeSchemaOf(head: ExportHead, asExported = false): Promise<void> {
  const last = head.migrations.at(-1)?.when ?? 0;
  const ours = readMigrations().filter(({ when }) => when <= last);
  const same =
    ours.length === head.migrations.length &&
    head.migrations.every((one, at) => ours[at]?.when === one.when && ours[at]?.hash === one.hash);
  if (!same)
    throw new Refusal(
      `the export was made by Kutip ${head.kutip}, with a schema that this version does not know: import it with that version or a newer one`,
    );
  // The upgrade looks for them too, but only once the rows are committed.
  if (!asExported) await refuseWithoutExtensions(pool(), readMigrations());
  await migrateDatabase({ upTo: last });
  const { rows } = await pool().query<{ n: number }>(
    "select count(*)::int as n from drizzle.__drizzle_migrations",
  );
  if (rows[0]?.n !== ours.length)
    throw new Refusal(
      "the export is older than the schema of this database: import it into a new data folder or an empty database, where it is upgraded",
    );
}
