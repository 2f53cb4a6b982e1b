import { eq } from "drizzle-orm";
import { db } from "./client";
import { settings } from "./schema/settings";

/** Keeps a value under a key unless there is one already; answers with the one kept. */
export async function keepSetting(key: string, value: string): Promise<string> {
  await db.insert(settings).values({ key, value }).onConflictDoNothing();
  const [row] = await db.select({ value: settings.value }).from(settings).where(eq(settings.key, key));
  if (!row) throw new Error(`the setting ${key} could not be kept`);
  return row.value;
}
