import { desc, eq, sql } from "drizzle-orm";
import { db } from "@/db/client";
import { workers } from "@/db/schema/workers";
import { HEARTBEAT_LIMIT_SECONDS } from "./claim-rows";

/** Writes a worker's heartbeat and how long ago it finished a piece of each job; forgets workers that were not seen for an hour. */
export async function unscopedBeat(
  id: string,
  pid: number,
  secondsSince: Record<string, number> = {},
): Promise<void> {
  const progress = sql`(select coalesce(jsonb_object_agg(key, extract(epoch from now()) - value::float8), '{}') from jsonb_each_text(${JSON.stringify(secondsSince)}::jsonb))`;
  await db
    .insert(workers)
    .values({ id, pid, progress: progress as never })
    .onConflictDoUpdate({ target: workers.id, set: { seenAt: sql`now()`, progress } });
  await db.delete(workers).where(sql`${workers.seenAt} < now() - interval '1 hour'`);
}

/** Removes a worker that stops in order: what it had claimed is free at once. */
export async function unscopedLeave(id: string): Promise<void> {
  await db.delete(workers).where(eq(workers.id, id));
}

/** Seconds since this worker was seen; null when it never was. */
export async function unscopedSecondsSinceSeen(id: string): Promise<number | null> {
  const [row] = await db
    .select({
      seconds: sql<number | null>`extract(epoch from now() - ${workers.seenAt})::float8`,
    })
    .from(workers)
    .where(eq(workers.id, id));
  return row?.seconds ?? null;
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

/** Seconds since any worker was seen (null: never), and since each job was last seen to finish a piece, by the workers' heartbeats. */
export async function unscopedProgress(): Promise<{
  seenSecondsAgo: number | null;
  finishedSecondsAgo: Record<string, number>;
}> {
  const { rows } = await db.execute<{
    seen: number | null;
    finished: Record<string, number> | null;
  }>(sql`
    select (select extract(epoch from now() - max(${workers.seenAt}))::float8 from ${workers}) as seen,
      (select jsonb_object_agg(key, ago) from (
        select p.key, min(extract(epoch from now()) - p.value::float8) as ago from ${workers}, jsonb_each_text(${workers.progress}) p group by p.key) newest) as finished`);
  return { seenSecondsAgo: rows[0]?.seen ?? null, finishedSecondsAgo: rows[0]?.finished ?? {} };
}
