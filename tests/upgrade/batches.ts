import { pool } from "@/db/client";
import { readMigrations } from "@/db/migration-files";

/** Runs the batches of a migration to their end. */
export async function runBatches(name: string): Promise<void> {
  const migration = readMigrations().find(({ tag }) => tag.endsWith(name));
  for (let changed = 1; changed > 0; )
    changed = (await pool().query(migration?.statements[0] ?? "")).rowCount ?? 0;
}
