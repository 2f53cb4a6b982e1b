import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { log } from "@/lib/kernel/log";
import { db } from "./client";
import { LOCK_NOT_AVAILABLE, sqlStateOf } from "./sql-state";

const LOCK_ATTEMPTS = 20;
const LOCK_PAUSE_MS = 100;

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

/**
 * The same before a process writes: a row without a month lands in the default partition, and its month then cannot be created.
 * After a long stop or the restore of an old backup none of the months may exist. No start waits long for it: the worker repeats it every hour.
 */
export async function preparePartitions(): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await keepPartitions();
      return;
    } catch (error) {
      if (attempt === LOCK_ATTEMPTS || sqlStateOf(error) !== LOCK_NOT_AVAILABLE)
        return log.warn({ err: error }, "the partitions of this month may be missing");
      await pause(LOCK_PAUSE_MS);
    }
  }
}

/** How many rows a statement deletes at most. */
const BATCH_ROWS = 1_000;

/**
 * Drops the months of events or mails that ended at least so many days ago, and deletes those of their age that no month holds. Nothing for 0 days.
 * Returns how many months and rows these were.
 */
export async function dropOldPartitions(parent: "events" | "mails", days: number): Promise<number> {
  if (days === 0) return 0;
  const { rows } = await db.execute<{ dropped: number }>(
    sql`select drop_old_partitions(${parent}, ${days}) as dropped`,
  );
  return (rows[0]?.dropped ?? 0) + (await dropOldRows(parent, days));
}

async function dropOldRows(parent: "events" | "mails", days: number): Promise<number> {
  const { rows: businesses } = await db.execute<{ id: number }>(
    sql`select distinct business_id as id from ${defaultOf(parent)}`,
  );
  let all = 0;
  for (const { id } of businesses)
    for (let dropped = BATCH_ROWS; dropped === BATCH_ROWS; all += dropped) {
      const { rows } = await db.execute<{ dropped: number }>(
        sql`select drop_old_rows(${id}, ${parent}, ${days}, ${BATCH_ROWS}) as dropped`,
      );
      dropped = rows[0]?.dropped ?? 0;
    }
  return all;
}

const defaultOf = (parent: "events" | "mails") => sql.identifier(`${parent}_default`);

/** Of events and mails, those with rows of this month or a later one that no month holds. */
export async function tablesWithStrays(): Promise<string[]> {
  const found = await Promise.all(
    (["events", "mails"] as const).map(async (parent) => {
      const { rowCount } = await db.execute(
        sql`select 1 from ${defaultOf(parent)} where id >= partition_bound(${parent}, month_begin(now(), 0)) limit 1`,
      );
      return rowCount === 0 ? [] : [parent];
    }),
  );
  return found.flat();
}
