import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { advisoryKeys } from "./advisory-keys";
import { watchBlocker } from "./blocker";
import { pool } from "./client";
import { buildConcurrently } from "./concurrent-index";
import { connectClient, connectionOptions, directUrl, isRemote } from "./connection";
import { askDistributed } from "./distributed";
import { Refusal, SAME_COMMAND } from "./embedded/refusal";
import { refuseWithoutExtensions } from "./extensions";
import { keepHeartbeat } from "./heartbeat";
import { databaseLimits } from "./limits";
import { type Migration, migrationsFolder, readMigrations } from "./migration-files";
import { oldestWriterKey } from "./setting-keys";
import { LOCK_NOT_AVAILABLE } from "./sql-state";

const LOCK_ATTEMPTS = 10;
const OTHER_MIGRATION_POLL_MS = 200;
const JOURNAL = "drizzle.__drizzle_migrations";
const DEADLOCK = "40P01";
const DISK_FULL = "53100";
const SERVER_STOPS = /^57P0/;

type Options = {
  folder?: string;
  /** The last migration to run. */
  upTo?: number;
  /** Called after each step, and within each transaction before it commits. */
  onStep?: (step: string) => Promise<void>;
};
type Run = {
  client: pg.Client;
  /** Holds the lock of all runs. */
  lock: pg.Client;
  onStep: (step: string) => Promise<void>;
  /** The limits that this run has waited for. */
  awaited: Set<string>;
  /** What the migration under way has committed so far, in words. */
  kept: Set<string>;
};

/**
 * Brings the database of DATABASE_URL to this version's schema, one transaction for each migration, in the journal format of Drizzle.
 * Several processes may call it: one migrates, the others wait. After a crash the next call resumes at the step that was not committed.
 * Throws a Refusal in one sentence when a migration fails, or when the server lacks an extension. Returns how many migrations an older database was upgraded by; 0 for a new one.
 */
export async function migrateDatabase(options: Options = {}): Promise<number> {
  const { folder = migrationsFolder, upTo = Number.POSITIVE_INFINITY } = options;
  const wanted = readMigrations(folder).filter(({ when }) => when <= upTo);
  const url = directUrl() ?? "";
  const stopHeartbeat = isRemote(url) ? keepHeartbeat(url) : undefined;
  const connect = () =>
    connectClient(undefined, { statementLimitMs: 0, application_name: "kutip migrate" });
  const lock = await connect();
  const client = await connect();
  try {
    if ((await missingMigrations(client, wanted)).length === 0) return 0;
    await takeLock(lock);
    const missing = await missingMigrations(client, wanted);
    if (missing.length < wanted.length) await refuseDistributed(client);
    await refuseWithoutExtensions(client, missing);
    // Only in a new database: even if the schema exists, the statement needs a right that the role may lack.
    if (missing.length === wanted.length)
      await client.query(
        `create schema if not exists drizzle; create table if not exists ${JOURNAL} (id serial primary key, hash text not null, created_at bigint)`,
      );
    const onStep = options.onStep ?? (async () => undefined);
    const run: Run = { client, lock, onStep, awaited: new Set(), kept: new Set() };
    for (const migration of missing) {
      run.kept.clear();
      try {
        // Fails when the connection that holds the lock was lost.
        await lock.query("select 1");
        await apply(run, migration);
      } catch (error) {
        throw explained(migration, run.kept, error);
      }
    }
    return missing.length < wanted.length ? missing.length : 0;
  } finally {
    stopHeartbeat?.();
    await Promise.all([lock.end(), client.end()]);
  }
}

/** How many migrations of this version the database does not have yet. Throws when it cannot be reached. */
export async function pendingMigrations(): Promise<number> {
  return (await missingMigrations(pool(), readMigrations())).length;
}

/** The migrations of a list that the database does not have. */
export async function missingMigrations(
  client: pg.Client | pg.Pool,
  wanted: readonly Migration[],
): Promise<Migration[]> {
  const { rows: found } = await client.query<{ there: boolean }>(
    "select to_regclass($1) is not null as there",
    [JOURNAL],
  );
  if (!found[0]?.there) return [...wanted];
  const { rows } = await client.query<{ at: string }>(`select created_at as at from ${JOURNAL}`);
  const applied = new Set(rows.map(({ at }) => Number(at)));
  return wanted.filter(({ when }) => !applied.has(when));
}

/** Throws a Refusal where a later version has changed the database: what this program does for all tables would leave some out. */
export async function refuseLaterSchema(): Promise<void> {
  const known = readMigrations().map(({ when }) => when);
  const { rowCount } = await pool().query(
    `select from ${JOURNAL} where not created_at = any($1) limit 1`,
    [known],
  );
  if (rowCount !== 0)
    throw new Refusal(
      "a later version has changed this database, and this program does not know all of its tables: run this command with the later version",
    );
}

/** Migrations are written for one server. */
async function refuseDistributed(client: pg.Client): Promise<void> {
  if (await askDistributed(client))
    throw new Refusal(
      "this install is distributed over the servers of a Citus cluster, and this version's migrations are not made for that: stay with the version before",
    );
}

/**
 * Held by an open transaction, which works behind PgBouncer too. Polled: a waiting statement would have a snapshot, and a concurrent
 * index build waits for every snapshot.
 */
async function takeLock(client: pg.Client): Promise<void> {
  for (;;) {
    await client.query("begin; set local idle_in_transaction_session_timeout = 0");
    const { rows } = await client.query<{ taken: boolean }>(
      "select pg_try_advisory_xact_lock($1) as taken",
      [advisoryKeys.migration],
    );
    if (rows[0]?.taken) return;
    await client.query("rollback");
    await pause(jitter(OTHER_MIGRATION_POLL_MS));
  }
}

async function apply(run: Run, migration: Migration): Promise<void> {
  const { tag, statements, index, batches, oldestWriter } = migration;
  if (oldestWriter) await refuseOlder(run, migration, oldestWriter);
  if (index) {
    const built = async (name: string) => {
      run.kept.add("what it has built of its index is kept");
      await run.onStep(`${tag}: built ${name}`);
    };
    const block = async (step: string, statement: string) => {
      await inTransaction(run, `${tag}: ${step}`, () => run.client.query(statement));
    };
    await withoutLimits(run.client, () => buildConcurrently(run.client, index, { built, block }));
  } else if (batches) {
    const batch = async () => (await run.client.query(statements[0] ?? "")).rowCount ?? 0;
    while ((await inTransaction(run, `${tag}: batch`, batch)) > 0)
      run.kept.add("its batches so far are kept");
  }
  await inTransaction(run, tag, async () => {
    // The journal's lock keeps a second run out, should the advisory lock be lost with its connection.
    await run.client.query(`lock table ${JOURNAL} in share row exclusive mode`);
    if ((await missingMigrations(run.client, [migration])).length === 0) return;
    if (!index && !batches) for (const statement of statements) await run.client.query(statement);
    await run.client.query(`insert into ${JOURNAL} (hash, created_at) values ($1, $2)`, [
      migration.hash,
      migration.when,
    ]);
  });
}

/** Commits the new limit before the change that needs it, so that running processes of older versions end first. */
async function refuseOlder(run: Run, { tag }: Migration, version: string): Promise<void> {
  const hasOlder = await inTransaction(run, `${tag}: oldest writer`, async () => {
    const { rows } = await run.client.query<{ value: string }>(
      "select value from settings where key = $1",
      [oldestWriterKey],
    );
    await run.client.query(
      "insert into settings (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value",
      [oldestWriterKey, version],
    );
    return rows[0] !== undefined;
  });
  run.kept.add("older versions are refused already");
  // Also where the limit was there already: the run that committed it may have ended before this pause did.
  if (!hasOlder || run.awaited.has(version)) return;
  const { versionCheckMs, requestMs } = databaseLimits();
  await pause(versionCheckMs + requestMs);
  run.awaited.add(version);
}

/** Runs and commits `body`. Where a lock is not granted in time, the queue behind it is let through before the next attempt. */
async function inTransaction<T>(
  { client, lock, onStep }: Run,
  step: string,
  body: () => Promise<T>,
): Promise<T> {
  const { migrationLockMs } = databaseLimits();
  let blocker: string | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(
        `begin; set local timezone = 'UTC'; set local client_min_messages = error; set local statement_timeout = 0;
         set local idle_in_transaction_session_timeout = 0; set local lock_timeout = ${migrationLockMs}`,
      );
      // Behind PgBouncer each transaction may have another session.
      const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
      const unwatch = watchBlocker(lock, rows[0]?.pid ?? 0, migrationLockMs / 4);
      const result = await body().finally(async () => {
        blocker = (await unwatch()) ?? blocker;
      });
      await onStep(`${step}: before commit`);
      await client.query("commit");
      await onStep(`${step}: committed`);
      return result;
    } catch (error) {
      await client.query("rollback").catch(() => undefined);
      const code = codeOf(error);
      if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) throw error;
      if (attempt === LOCK_ATTEMPTS)
        throw new Refusal(blocker ?? "the tables are too busy: try at a quieter time");
      await pause(jitter((migrationLockMs / 2) * Math.min(attempt, 4)));
    }
  }
}

/** A concurrent build blocks no writer while it waits, so its wait has no limit. A pooler takes no session settings and brings no limits. */
async function withoutLimits(client: pg.Client, body: () => Promise<void>): Promise<void> {
  if (connectionOptions(undefined, "long").options !== undefined)
    await client.query("set lock_timeout = 0; set statement_timeout = 0");
  await body();
}

function explained({ tag }: Migration, kept: ReadonlySet<string>, error: unknown): unknown {
  if (error instanceof Refusal)
    return new Refusal(
      `the migration ${tag} did not get its locks in ${LOCK_ATTEMPTS} attempts, and ${[...kept].join(" and ") || "nothing of it was changed"}; ${error.message}, then ${SAME_COMMAND}`,
    );
  if (codeOf(error) === DISK_FULL) return error;
  if (error instanceof pg.DatabaseError && !SERVER_STOPS.test(error.code ?? ""))
    return new Refusal(
      `the migration ${tag} failed (${error.message}), and the migrations before it are kept: correct the cause and ${SAME_COMMAND}`,
    );
  return new Refusal(
    `the migration ${tag} was interrupted (${(error as Error).message}): ${SAME_COMMAND}, which resumes there`,
  );
}

const codeOf = (error: unknown) => (error as { code?: unknown }).code;
const jitter = (ms: number) => ms * (0.5 + Math.random());
