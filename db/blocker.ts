import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";

/** A session that others wait for; 0 is a prepared transaction, which has none. `seconds` is null where the role may not see it. */
type Blocker = { pid: number; name: string; seconds: number | null };

/** Names of sessions that end without help. */
const COPIES: readonly string[] = ["kutip copy", "pg_dump"];

/**
 * Asks on `observer`, again and again, which session keeps the session `pid` from its locks. Returns what ends that, and says in half a
 * sentence what was found last: the session may be gone once the wait is over.
 */
export function watchBlocker(
  observer: pg.Client,
  pid: number,
  everyMs: number,
): () => Promise<string | undefined> {
  const ended = new AbortController();
  const watching = (async () => {
    let last: Blocker | undefined;
    while (await pause(everyMs, true, { signal: ended.signal }).catch(() => false))
      last = (await findBlocker(observer, pid).catch(() => undefined)) ?? last;
    return last && sentence(last);
  })();
  return () => {
    ended.abort();
    return watching;
  };
}

/** The session at the end of the queue, the one that itself waits for no lock. */
async function findBlocker(observer: pg.Client, pid: number): Promise<Blocker | undefined> {
  // Within a transaction pg_stat_activity stays as it was first read.
  await observer.query("select pg_stat_clear_snapshot()");
  // Without parameters: those leave a portal with a snapshot behind, for which a concurrent index build would wait.
  const { rows } = await observer.query<Blocker>(
    `with recursive blocking (pid) as (
       select unnest(pg_blocking_pids(${Number(pid)})) union select unnest(pg_blocking_pids(pid)) from blocking where pid <> 0)
     select b.pid, extract(epoch from clock_timestamp() - a.xact_start)::int as seconds,
       coalesce(nullif(a.application_name, ''), nullif(a.backend_type, 'client backend'), 'unnamed') as name
     from blocking b left join pg_stat_activity a on a.pid = b.pid
     order by a.wait_event_type is not distinct from 'Lock', a.xact_start limit 1`,
  );
  return rows[0];
}

function sentence({ pid, name, seconds }: Blocker): string {
  if (pid === 0)
    return "a prepared transaction holds them: commit it or roll it back (pg_prepared_xacts names it)";
  if (COPIES.includes(name))
    return `process ${pid} (${name}) is a backup or an export: wait until it has ended`;
  const open =
    seconds === null ? "has a transaction open" : `has had a transaction open for ${seconds} s`;
  return `process ${pid} (${name}) ${open}: end it`;
}
