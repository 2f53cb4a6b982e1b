import { sql } from "drizzle-orm";
import { db } from "./client";

/** The tables that are partitioned by month, by the second or millisecond with which an id begins. */
export const partitioned = [
  "events",
  "mails",
  "request_log",
  "webhook_attempts",
  "webhook_deliveries",
] as const;

/** Creates the partitions of this month and the next two, and drops past ones that are empty. Returns how many it created and dropped. */
export async function keepPartitions(): Promise<number> {
  const { rows } = await db.execute<{ changed: number }>(sql`select keep_partitions() as changed`);
  return rows[0]?.changed ?? 0;
}
