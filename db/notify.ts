import { sql } from "drizzle-orm";
import type { Executor } from "./client";

/** Notifies every web process, at the commit, that a person's access to a business has changed. */
export async function notifyAccessChanged(on: Executor, businessId: number): Promise<void> {
  const payload = JSON.stringify([businessId, null, "access_changed", null]);
  await on.execute(sql`select pg_notify('kutip_changes', ${payload})`);
}
