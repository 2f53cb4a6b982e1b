import { sql } from "drizzle-orm";
import { db, type Executor, pool } from "./client";

// Transactions of other databases of the server count too where a snapshot is concerned, but they cannot write events of this one.
// A running transaction that is found nowhere is just ending, or being prepared: it counts.
const running = sql.raw(`pg_snapshot_xip(pg_current_snapshot()) as running(xid)
  where not exists (
    select from pg_stat_get_activity(null) a
    where a.backend_xid = running.xid::xid and a.datid is distinct from (select oid from pg_database where datname = current_database()))
  and not exists (
    select from pg_prepared_xact() p
    where p.transaction = running.xid::xid and p.dbid <> (select oid from pg_database where datname = current_database()))`);

/**
 * The oldest transaction that may still commit events: all events below it are visible to this statement, so their order `(xid, seq)` is
 * complete and never changes. Use it inside the statement that reads the events, so that both use one snapshot, or ask before it. The statement
 * asks which database a transaction runs in after it took that snapshot.
 */
export const eventHorizon = sql`(select coalesce(min(running.xid), pg_snapshot_xmax(pg_current_snapshot())) from ${running})`;

/** The same, as a value: where events are on other servers, which count their transactions apart, it is asked before them. */
export async function currentHorizon(): Promise<string> {
  const { rows } = await db.execute<{ xid: string }>(sql`select ${eventHorizon}::text as xid`);
  return rows[0]?.xid ?? "0";
}

/** An id that is above those of all transactions that have one by now; within a transaction its own, which it otherwise gets with its first write. */
export async function newTransactionId(on: Executor = db): Promise<string> {
  const { rows } = await on.execute<{ id: string }>(sql`select pg_current_xact_id()::text as id`);
  return rows[0]?.id ?? "0";
}

/** Whether all transactions of this database with a lower id have ended. */
export async function haveEndedBelow(id: string): Promise<boolean> {
  return BigInt(await currentHorizon()) > BigInt(id);
}

/** A transaction of this database that holds back events, and since when. */
export type Blocker = { description: string; seconds: number };

/** The oldest transaction that has held back the events of this database for longer than this; or undefined. */
export async function oldestBlocker(seconds: number): Promise<Blocker | undefined> {
  const { rows } = await pool().query<Blocker>(
    `select description, seconds from (
      select 'process ' || a.pid || coalesce(' (' || nullif(a.application_name, '') || ')', '') as description,
        extract(epoch from clock_timestamp() - a.xact_start)::int as seconds
      from pg_stat_activity a where a.datname = current_database() and a.backend_xid is not null
      union all
      select 'prepared transaction ' || p.gid, extract(epoch from clock_timestamp() - p.prepared)::int
      from pg_prepared_xacts p where p.database = current_database()) held
    where seconds >= $1 order by seconds desc limit 1`,
    [seconds],
  );
  return rows[0];
}
