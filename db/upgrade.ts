import { pool } from "./client";
import { missingMigrations } from "./migrate";
import { type Migration, readMigrations } from "./migration-files";
import { upgradeCopyKey } from "./setting-keys";
import { readSetting, replaceSetting } from "./settings";

/** The migrations of this version that an install lacks; none in a database without an install. */
async function lacking(): Promise<Migration[]> {
  const wanted = readMigrations();
  const pending = await missingMigrations(pool(), wanted);
  return pending.length < wanted.length ? pending : [];
}

/** Whether the database holds an older install. */
export const isOlder = async (): Promise<boolean> => (await lacking()).length > 0;

/** Whether it does, and its processes cannot go on after the migrations of this version. */
export const upgradeIsPending = async (): Promise<boolean> =>
  (await lacking()).some(({ oldestWriter }) => oldestWriter !== undefined);

/** A copy of the database. `events` is the number of the last event in it, `file` a backup that this program keeps. */
type Copy = { made_at: string; events: string; file?: string };

const LAST_EVENT = `coalesce((select last_value from pg_sequences
  where schemaname = 'public' and sequencename = 'events_seq_seq'), 0)::text`;

/** This moment of the database, to be noted once a copy of it is complete. */
export async function copyMoment(): Promise<Copy> {
  const { rows } = await pool().query<Copy>(
    `select now()::text as made_at, ${LAST_EVENT} as events`,
  );
  return rows[0] as Copy;
}

/** Notes that a copy of the database is complete. */
export const noteCopy = (copy: Copy): Promise<void> =>
  replaceSetting(upgradeCopyKey, JSON.stringify(copy));

/** The noted copy, unless something was done since: each change of a record writes an event or an audit entry. */
export async function currentCopy(): Promise<Copy | undefined> {
  const value = await readSetting(upgradeCopyKey);
  if (value === undefined) return undefined;
  const copy = JSON.parse(value) as Copy;
  const { rows } = await pool().query<{ stale: boolean }>(
    `select ${LAST_EVENT} <> $1 or exists (select 1 from audit_entries where created_at > $2::timestamptz) as stale`,
    [copy.events, copy.made_at],
  );
  return rows[0]?.stale ? undefined : copy;
}

/** The last sign of life of a worker of any version, in seconds of the database's clock; null without one. */
export async function workerSeen(): Promise<{ at: number; secondsAgo: number } | null> {
  const { rows } = await pool().query<{ at: number | null; ago: number }>(
    "select extract(epoch from max(seen_at))::float8 as at, extract(epoch from clock_timestamp() - max(seen_at))::float8 as ago from workers",
  );
  const [row] = rows;
  return row && row.at !== null ? { at: row.at, secondsAgo: row.ago } : null;
}
