import { setTimeout as pause } from "node:timers/promises";
import { onCoordinator } from "./cluster";

const POLL_MS = 500;
/** The table by which all others are placed. */
const TABLE = "payment_links";

/** How many rows each table of businesses has. */
export async function countsOf(url: string): Promise<Record<string, number>> {
  const tables = await onCoordinator<{ name: string }>(
    url,
    `select relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid where relnamespace = 'public'::regnamespace
     and relkind in ('r', 'p') and not relispartition and attname = 'business_id' order by relname`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await onCoordinator<{ rows: number }>(
      url,
      `select count(*)::int as rows from ${name}`,
    );
    counts[name] = row?.rows ?? -1;
  }
  return counts;
}

/** Spreads the shards over all workers while they are written to, and waits for the end. */
export async function rebalance(url: string): Promise<{ seconds: number; placed: number[] }> {
  const began = performance.now();
  await onCoordinator(url, "select citus_rebalance_start()");
  for (;;) {
    const [job] = await onCoordinator<{ state: string }>(
      url,
      "select state::text from pg_dist_background_job order by job_id desc limit 1",
    );
    if (job?.state === "finished") break;
    if (job === undefined || ["failed", "failing", "cancelled"].includes(job.state))
      throw new Error(`the rebalance is ${job?.state}`);
    await pause(POLL_MS);
  }
  const placed = await onCoordinator<{ groups: number }>(
    url,
    `select count(shardid)::int as groups from pg_dist_node n left join (pg_dist_placement p join pg_dist_shard s using (shardid))
     on p.groupid = n.groupid and s.logicalrelid = '${TABLE}'::regclass where n.groupid <> 0 group by n.groupid order by n.groupid`,
  );
  return {
    seconds: (performance.now() - began) / 1_000,
    placed: placed.map(({ groups }) => groups),
  };
}

/**
 * Gives a business a shard of its own and moves it to that worker, while it is written to. Writers wait while its shard is split: the replication
 * of a split takes no updates.
 */
export async function isolateBusiness(
  url: string,
  businessId: number,
  { host, port }: { host: string; port: number },
): Promise<void> {
  const [place] = await onCoordinator<{ host: string; port: number; shard: string }>(
    url,
    `select isolate_tenant_to_new_shard('${TABLE}', ${businessId}, 'CASCADE', shard_transfer_mode := 'block_writes')`,
    `select nodename as host, nodeport as port, get_shard_id_for_distribution_column('${TABLE}', ${businessId})::text as shard
     from pg_dist_placement join pg_dist_node using (groupid) where shardid = get_shard_id_for_distribution_column('${TABLE}', ${businessId})`,
  );
  if (!place) throw new Error("the business has no shard");
  if (place.host === host && place.port === port) return;
  await onCoordinator(
    url,
    `select citus_move_shard_placement(${place.shard}, '${place.host}', ${place.port}, '${host}', ${port}, 'force_logical')`,
  );
}

/** The worker of a business, and whether its shard is its own. */
export async function shardsOf(
  url: string,
  businessId: number,
): Promise<{ port: number; isAlone: boolean } | undefined> {
  const [place] = await onCoordinator<{ port: number; isAlone: boolean }>(
    url,
    `select nodeport as port, shardminvalue = shardmaxvalue as "isAlone" from pg_dist_shard join pg_dist_placement using (shardid)
     join pg_dist_node using (groupid) where shardid = get_shard_id_for_distribution_column('${TABLE}', ${businessId})`,
  );
  return place;
}

/** What Citus says when a shard is to move and a table has neither a key nor a replica identity; undefined if it moves. */
export async function moveRefused(url: string): Promise<string | undefined> {
  await onCoordinator(url, "alter table payment_counts replica identity default");
  const [move] = await onCoordinator<{ shard: string; from: number; to: number; host: string }>(
    url,
    `select shardid::text as shard, f.nodeport as from, t.nodeport as to, f.nodename as host from pg_dist_shard join pg_dist_placement p using (shardid)
     join pg_dist_node f on f.groupid = p.groupid join pg_dist_node t on t.groupid not in (0, f.groupid)
     where logicalrelid = '${TABLE}'::regclass limit 1`,
  );
  if (!move) return undefined;
  return onCoordinator(
    url,
    `select citus_move_shard_placement(${move.shard}, '${move.host}', ${move.from}, '${move.host}', ${move.to})`,
  ).then(
    () => undefined,
    (error: Error) => error.message,
  );
}
