import { pool } from "./client";

/**
 * A dump restored on another server carries transaction numbers of the old one, which may lie in the new one's future:
 * lists of events would not show them. Here they all become old, in the order they have.
 */
export async function readableAfterRestore(): Promise<void> {
  const client = await pool().connect();
  try {
    await client.query("begin");
    await client.query("set local statement_timeout = 0");
    await client.query("update events set xid = '0' where xid <> '0'");
    await client.query("update webhook_endpoints set since = '1:1:'");
    await client.query(
      `do $$ begin execute format('alter database %I set timezone to ''UTC''', current_database()); end $$`,
    );
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  } finally {
    client.release();
  }
}

/** Whether events carry transaction numbers that this server has not reached: a restore without the step above. */
export async function hasFutureEvents(): Promise<boolean> {
  const { rows } = await pool().query<{ found: boolean }>(
    "select exists (select 1 from events where xid >= pg_snapshot_xmax(pg_current_snapshot())) as found",
  );
  return rows[0]?.found ?? false;
}
