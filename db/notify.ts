import { sql } from "drizzle-orm";
import { accessChanged } from "@/lib/contract/values";
import type { Executor } from "./client";

/** Notifies every web process, at the commit, that a person's access to a business has changed. */
export async function notifyAccessChanged(
  on: Executor,
  businessId: number,
  userId: string,
): Promise<void> {
  const payload = JSON.stringify([businessId, null, accessChanged, userId]);
  await on.execute(sql`select pg_notify('kutip_changes', ${payload})`);
}
