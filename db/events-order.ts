import type pg from "pg";
import { pool } from "./client";
import { isDistributed } from "./distributed";
import { Refusal } from "./embedded/refusal";

/**
 * A dump restored on another server carries transaction numbers of the old one, which may lie in the new one's future:
 * lists of events would not show them. Here they all become old, in the transaction that is open, and `seq` alone then has the order `(xid, seq)` of before.
 */
export async function readableAfterRestore(client: pg.Client): Promise<void> {
  // Each business hands out its own numbers again, so all stay below the next one of the sequence. On Citus the order is no promise.
  if (!(await isDistributed()))
    await client.query(`
      with ordered as (
        select business_id, mode, id, seq, row_number() over (partition by business_id, mode order by xid, seq) as place,
          row_number() over (partition by business_id, mode order by seq) as number from events)
      update events e set seq = numbers.seq from ordered places join ordered numbers
        on numbers.business_id = places.business_id and numbers.mode = places.mode and numbers.number = places.place
      where numbers.seq <> places.seq and e.business_id = places.business_id and e.id = places.id`);
  await client.query("update events set xid = '0' where xid <> '0'");
  await client.query("update webhook_endpoints set since = '1:1:'");
  await client.query(
    `do $$ begin execute format('alter database %I set timezone to ''UTC''', current_database()); end $$`,
  );
}

/**
 * Whether events carry transaction numbers that this server has not reached: a restore without the step above. On Citus the servers count their
 * transactions apart, and are restored as they are.
 */
export async function hasFutureEvents(): Promise<boolean> {
  if (await isDistributed()) return false;
  // By the index for each business, so that an install with millions of events starts at once.
  const { rows } = await pool().query<{ found: boolean }>(
    `select exists (select from businesses b, (values ('live'), ('test')) modes (mode), lateral (
      select xid from events e where e.business_id = b.id and e.mode = modes.mode order by e.xid desc limit 1) newest
    where newest.xid >= pg_snapshot_xmax(pg_current_snapshot())) as found`,
  );
  return rows[0]?.found ?? false;
}

/** Throws a Refusal while some events would never be listed or sent. */
export async function assertEventsReadable(): Promise<void> {
  if (await hasFutureEvents())
    throw new Refusal(
      "this database was restored from another server, and its events cannot be read yet: run npm run -s kutip -- backup:restored, then start again",
    );
}
