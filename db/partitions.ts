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

/** Drops the months of events or mails that ended at least so many days ago, and nothing for 0 days. Returns how many months it dropped. */
export async function dropOldPartitions(parent: "events" | "mails", days: number): Promise<number> {
  if (days === 0) return 0;
  const { rows } = await db.execute<{ dropped: number }>(
    sql`select drop_old_partitions(${parent}, ${days}) as dropped`,
  );
  return rows[0]?.dropped ?? 0;
}
