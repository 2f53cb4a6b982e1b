import { eq, sql } from "drizzle-orm";
import { db } from "./client";
import { restoredKey, settings } from "./schema/settings";

/** Keeps a value under a key unless there is one already; answers with the one kept. */
export async function keepSetting(key: string, value: string): Promise<string> {
  await db.insert(settings).values({ key, value }).onConflictDoNothing();
  const [row] = await db
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.key, key));
  if (!row) throw new Error(`the setting ${key} could not be kept`);
  return row.value;
}

/** Puts a value under a key, whatever was there. */
export async function replaceSetting(key: string, value: string): Promise<void> {
  await db
    .insert(settings)
    .values({ key, value })
    .onConflictDoUpdate({ target: settings.key, set: { value } });
}

/** Notes that a backup was just put in place: charges that fell due before this moment are looked up at the gateway before they are made. */
export const noteRestore = (): Promise<void> =>
  replaceSetting(restoredKey, new Date().toISOString());

/** The value under a key, if any. */
export async function readSetting(key: string): Promise<string | undefined> {
  const [row] = await db
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.key, key));
  return row?.value;
}

/** Whether the database has its settings table: not before the first migration. */
export async function hasSettings(): Promise<boolean> {
  const { rows } = await db.execute<{ found: boolean }>(
    sql`select to_regclass('public.settings') is not null as found`,
  );
  return rows[0]?.found ?? false;
}
