import { sql } from "drizzle-orm";
import { db, longWork, withTransaction } from "@/db/client";

/** How long each table's rows are kept in the drill, in days: the shortest that the settings take, and what is fixed. */
export const DAYS = {
  events: 90,
  mails: 30,
  request_log: 30,
  webhook_deliveries: 60,
} as const;
export type Table = keyof typeof DAYS;

export const SETTINGS = {
  EVENT_DAYS: String(DAYS.events),
  MAIL_DAYS: String(DAYS.mails),
  REQUEST_LOG_DAYS: String(DAYS.request_log),
};
/** All that the settings can keep is kept. */
export const KEEPS_ALL = { EVENT_DAYS: "0", MAIL_DAYS: "0", REQUEST_LOG_DAYS: "366" };

/** The database's time in ISO 8601. */
export async function databaseTime(): Promise<string> {
  const { rows } = await db.execute<{ now: string }>(sql`select now()::text as now`);
  return rows[0]?.now ?? "";
}

/** Names of a table's months. */
export async function monthsOf(table: Table): Promise<string[]> {
  const { rows } = await db.execute<{ name: string }>(
    sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = ${table}::regclass order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** The months of past rows that end within the days before a moment, or after it: these stay. */
export async function monthsThatStay(table: Table, at: string): Promise<string[]> {
  const names = await monthsOf(table);
  const { rows } = await db.execute<{ first: string }>(
    sql`select to_char((${at}::timestamptz - make_interval(days => ${DAYS[table]})) at time zone 'UTC', 'YYYYMM') as first`,
  );
  const first = `${table}_${rows[0]?.first}`;
  return names.filter((name) => name.endsWith("_default") || name >= first);
}

/** Rows of a table that are to stay for an hour more after a moment, without those of the last minute, which may still be on their way. */
export async function countYoung(table: Table, at: string): Promise<number> {
  return count(
    sql`select count(*)::int as n from ${sql.raw(table)} where created_at >= ${at}::timestamptz - make_interval(days => ${DAYS[table]}, hours => -1) and created_at < ${at}::timestamptz - interval '1 minute'`,
  );
}

/** Rows of a table older than its days before a moment. */
export async function countOld(table: Table, at: string): Promise<number> {
  return count(
    sql`select count(*)::int as n from ${sql.raw(table)} where created_at < ${at}::timestamptz - make_interval(days => ${DAYS[table]})`,
  );
}

const count = (query: ReturnType<typeof sql>) =>
  longWork(async () => (await db.execute<{ n: number }>(query)).rows[0]?.n ?? 0);

class Undone extends Error {}

/** Seconds that something in a transaction takes, which is rolled back. */
export async function timeUndone(statement: ReturnType<typeof sql>): Promise<number> {
  let seconds = 0;
  await longWork(() =>
    withTransaction(async (tx) => {
      // Events refuse to be deleted otherwise.
      await tx.execute(sql`set local session_replication_role = replica`);
      const began = performance.now();
      await tx.execute(statement);
      seconds = (performance.now() - began) / 1_000;
      throw new Undone();
    }),
  ).catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error;
  });
  return seconds;
}

/** Seconds of the longest statement that deletes rows at this moment; 0 without any. */
export async function longestDelete(): Promise<number> {
  const { rows } = await db.execute<{ seconds: number }>(
    sql`select coalesce(max(extract(epoch from clock_timestamp() - query_start)), 0)::float8 as seconds from pg_stat_activity where state = 'active' and query ilike '%delete from%' and pid <> pg_backend_pid()`,
  );
  return rows[0]?.seconds ?? 0;
}
