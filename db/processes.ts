import { and, asc, sql } from "drizzle-orm";
import { version } from "@/lib/kernel/version";
import { db, type Executor } from "./client";
import { processes } from "./schema/processes";

/** A process that was not seen for so long is taken as ended. It stops sealing some seconds before. */
const LIVE_SECONDS = 20;

export type ProcessKind = "web" | "worker" | "command";
type ProcessRow = typeof processes.$inferSelect;
/** A process as it is shown: which one, and how long ago it was seen. */
export type LiveProcess = Pick<ProcessRow, "id" | "kind" | "pid" | "host"> & { seconds: number };

/** Writes that a process lives, which secrets it knows and with which one it seals. */
export async function writeProcess(
  on: Executor,
  row: Omit<ProcessRow, "version" | "startedAt" | "seenAt">,
): Promise<void> {
  const { keys, sealsWith } = row;
  await on
    .insert(processes)
    .values({ ...row, version })
    .onConflictDoUpdate({
      target: processes.id,
      set: { keys, sealsWith, seenAt: sql`clock_timestamp()` },
    });
}

/** Removes a process that ends, and rows of those that were not seen for an hour. */
export async function removeProcess(id: string): Promise<void> {
  await db
    .delete(processes)
    .where(sql`${processes.id} = ${id} or ${processes.seenAt} < now() - interval '1 hour'`);
}

const live = sql`${processes.seenAt} > clock_timestamp() - make_interval(secs => ${LIVE_SECONDS})`;
const shown = {
  id: processes.id,
  kind: processes.kind,
  pid: processes.pid,
  host: processes.host,
  seconds: sql<number>`extract(epoch from clock_timestamp() - ${processes.seenAt})::int`,
};

/** How many web processes live, as a part of another statement; 1 where none has said so. */
export const liveWebProcesses = () =>
  sql<number>`(select greatest(1, count(*))::int from ${processes} where ${live} and ${processes.kind} = 'web')`;

/** The processes of this install that live, the oldest first. */
export async function liveProcesses(): Promise<LiveProcess[]> {
  return db.select(shown).from(processes).where(live).orderBy(asc(processes.startedAt));
}

/**
 * Other processes that use this database, by the connections of their requests and claims. Where the database was made anew below them, their rows
 * are gone. A process that waits to join has no such connection, and a pooler keeps one after its process has ended.
 */
export async function connectedProcesses(): Promise<string[]> {
  const kind = (name: string) => sql.raw(`substring(${name} from '\\((.*)\\)$')`);
  const { rows } = await db.execute<{ text: string }>(sql`
    select distinct ${kind("application_name")} || ' process' || coalesce(' at ' || host(client_addr), '') as text from pg_stat_activity
    where datname = current_database() and application_name like 'kutip pool request (%)'
      and ${kind("application_name")} is distinct from ${kind("current_setting('application_name')")}
      and (state is distinct from 'idle' or state_change > clock_timestamp() - make_interval(secs => ${LIVE_SECONDS}))
    order by 1`);
  return rows.map(({ text }) => text);
}

/** The live processes that do not know a secret. */
export async function processesWithoutKey(key: string, on: Executor = db): Promise<LiveProcess[]> {
  return on
    .select(shown)
    .from(processes)
    .where(and(live, sql`not ${key} = any(${processes.keys})`))
    .orderBy(asc(processes.startedAt));
}

/** The live processes that seal with another secret than this one. */
export async function processesSealingWithout(key: string): Promise<LiveProcess[]> {
  return db
    .select(shown)
    .from(processes)
    .where(and(live, sql`${processes.sealsWith} <> ${key}`))
    .orderBy(asc(processes.startedAt));
}
