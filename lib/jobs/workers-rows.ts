import { desc, eq, sql } from "drizzle-orm";
import { db } from "@/db/client";
import { workers } from "@/db/schema/workers";
import { HEARTBEAT_LIMIT_SECONDS } from "./claim-rows";
import type { Progress } from "./progress";

/** Writes a worker's heartbeat and the progress of its jobs; forgets workers that were not seen for an hour. */
export async function unscopedBeat(
  id: string,
  pid: number,
  jobs: Record<string, Progress> = {},
): Promise<void> {
  await db.execute(sql`
    with old as (delete from ${workers} where ${workers.seenAt} < now() - interval '1 hour' and id <> ${id})
    insert into ${workers} (id, pid, progress, rates)
    select ${id}, ${pid}::integer, coalesce(jsonb_object_agg(key, extract(epoch from now()) - (value->>'secondsAgo')::float8), '{}'),
      coalesce(jsonb_object_agg(key, value->'perSecond'), '{}') from jsonb_each(${JSON.stringify(jobs)}::jsonb)
    on conflict (id) do update set seen_at = excluded.seen_at, progress = excluded.progress, rates = excluded.rates`);
}

/** Removes a worker that stops in order: what it had claimed is free at once. */
export async function unscopedLeave(id: string): Promise<void> {
  await db.delete(workers).where(eq(workers.id, id));
}

/** The workers that were seen within the last hour and have not stopped in order, the newest first. */
export async function unscopedWorkers(): Promise<
  Array<{ started_at: string; seen_at: string; at_work: boolean }>
> {
  return db
    .select({
      started_at: workers.startedAt,
      seen_at: workers.seenAt,
      at_work: sql<boolean>`${workers.seenAt} > now() - make_interval(secs => ${HEARTBEAT_LIMIT_SECONDS})`,
    })
    .from(workers)
    .orderBy(desc(workers.startedAt));
}

/** Seconds since any worker was seen (null: never), and the progress of each job: the last piece of any worker, the rate of those that are alive. */
export async function unscopedProgress(): Promise<{
  seenSecondsAgo: number | null;
  jobs: Record<string, Progress>;
}> {
  const { rows } = await db.execute<{
    seen: number | null;
    jobs: Record<string, Progress> | null;
  }>(sql`
    select (select extract(epoch from now() - max(${workers.seenAt}))::float8 from ${workers}) as seen,
      (select jsonb_object_agg(key, jsonb_build_object('secondsAgo', ago, 'perSecond', rate)) from (
        select p.key, min(extract(epoch from now()) - p.value::float8) as ago,
          coalesce(sum((${workers.rates}->>p.key)::float8) filter (where ${workers.seenAt} > now() - make_interval(secs => ${HEARTBEAT_LIMIT_SECONDS})), 0) as rate
        from ${workers}, jsonb_each_text(${workers.progress}) p group by p.key) job) as jobs`);
  return { seenSecondsAgo: rows[0]?.seen ?? null, jobs: rows[0]?.jobs ?? {} };
}
