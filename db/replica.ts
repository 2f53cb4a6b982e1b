import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import { counter } from "@/lib/kernel/metrics";
import { Problem } from "@/lib/kernel/problem";
import { together } from "./batched";
import { pool } from "./client";
import type { LimitedClient } from "./limited-client";
import { snapshotRead } from "./snapshot-read";
import { QUERY_CANCELED, sqlStateOf } from "./sql-state";

/** How long a read waits for the replica to replay what the primary has committed. */
const CATCH_UP_MS = 100;
const LOOK_MS = 5;
/** A replica that does not say where it is within this time is taken as away. */
const ANSWER_MS = 1_000;
/** For so long nothing is asked of a replica that was behind, or away. */
const PAUSE_MS = { behind: 1_000, away: 5_000 };
const STATEMENT_MS = 8_000;

const reads = counter(
  "kutip_replica_reads_total",
  "Reads of installs with DATABASE_REPLICA_URL, by outcome: replica, or on the primary because the replica was behind or away.",
  ["outcome"],
);

/** A point in the primary's log: which server wrote it, on which timeline, and how far. */
type Position = { system: string; timeline: number; lsn: string };

// Every commit that was acknowledged anywhere before the question is below this point. Questions of the same moment share a statement.
// A commit that does not wait for the disk may be above what is flushed. The request log alone makes such ones where the server does not.
// Undefined where DATABASE_URL leads to a standby, as a proxy may do for a moment.
const committed = together<null, Position | undefined>(async (asked) => {
  const { rows } = await pool("request").query<Position>(
    `select (select system_identifier from pg_control_system())::text as system,
      ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline,
      case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn()
        else pg_current_wal_flush_lsn() end::text as lsn
    where not pg_is_in_recovery()`,
  );
  return asked.map(() => rows[0]);
});

// A replica of another server, or of a primary that was replaced, may be past the point and have other data.
const LOOK = `select case
    when not pg_is_in_recovery() or (select system_identifier from pg_control_system())::text <> $1
      or (select timeline_id from pg_control_checkpoint()) <> $2 then 'away'
    when pg_last_wal_replay_lsn() >= $3::pg_lsn then 'replica'
    else 'behind' end as outcome`;

type Outcome = "replica" | keyof typeof PAUSE_MS;
type Found =
  | { outcome: "replica"; client: pg.PoolClient }
  | { outcome: keyof typeof PAUSE_MS; error?: unknown };

let pausedUntil = 0;

/**
 * Runs reads on the replica of DATABASE_REPLICA_URL, on one snapshot that holds everything committed before this call, by whichever process.
 * Otherwise `onPrimary` runs: there is no replica, it is behind or away, or it failed in between.
 */
export async function replicaRead<T>(
  body: () => Promise<T>,
  onPrimary: () => Promise<T> = body,
  statementMs = STATEMENT_MS,
): Promise<T> {
  if (!env.DATABASE_REPLICA_URL || performance.now() < pausedUntil) return onPrimary();
  const found = await caughtUp();
  if (found.outcome !== "replica") {
    avoid(found.outcome, found.error);
    return onPrimary();
  }
  try {
    const value = await snapshotRead(found.client, statementMs, body);
    reads.inc({ outcome: "replica" });
    return value;
  } catch (error) {
    // A refusal, or a statement that takes too long, would be no better on the primary.
    if (error instanceof Problem || sqlStateOf(error) === QUERY_CANCELED) throw error;
    avoid("away", error);
    return onPrimary();
  }
}

/** Whether the replica could be read now: `behind` what is committed, `away`, or fit to be read (`replica`). Undefined without one. */
export async function replicaState(): Promise<Outcome | undefined> {
  if (!env.DATABASE_REPLICA_URL) return undefined;
  const found = await caughtUp();
  if (found.outcome === "replica") found.client.release();
  return found.outcome;
}

/** A connection to the replica once that has replayed everything that is committed now. */
async function caughtUp(): Promise<Found> {
  const position = await committed(null);
  if (!position) return { outcome: "away" };
  let client: pg.PoolClient;
  try {
    client = await pool("replica").connect();
  } catch (error) {
    return { outcome: "away", error };
  }
  try {
    const outcome = await waitFor(client, position);
    if (outcome === "replica") return { outcome, client };
    client.release();
    return { outcome };
  } catch (error) {
    client.release(true);
    return { outcome: "away", error };
  }
}

async function waitFor(client: pg.PoolClient, position: Position): Promise<Outcome> {
  const until = performance.now() + CATCH_UP_MS;
  for (;;) {
    const outcome = await look(client, position);
    if (outcome !== "behind" || performance.now() >= until) return outcome;
    await pause(LOOK_MS);
  }
}

async function look(client: pg.PoolClient, { system, timeline, lsn }: Position): Promise<Outcome> {
  const limit = setTimeout(
    () => (client as unknown as LimitedClient).drop("the replica did not answer"),
    ANSWER_MS,
  );
  try {
    const { rows } = await client.query<{ outcome: Outcome }>(LOOK, [system, timeline, lsn]);
    return rows[0]?.outcome ?? "away";
  } finally {
    clearTimeout(limit);
  }
}

function avoid(outcome: keyof typeof PAUSE_MS, error?: unknown): void {
  reads.inc({ outcome });
  pausedUntil = performance.now() + PAUSE_MS[outcome];
  if (error) log.warn({ err: error }, "the replica failed: reading from the primary");
}
