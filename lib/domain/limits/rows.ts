import { and, eq, sql } from "drizzle-orm";
import { db, type Executor } from "@/db/client";
import { liveWebProcesses } from "@/db/processes";
import { rateLimits } from "@/db/schema/rate-limits";

/** A count after a call: its points, the milliseconds until its window ends, and what the call took. */
export type Counted = { points: number; taken: number; ms: number; webs: number };

const ms = sql<number>`extract(epoch from ${rateLimits.endsAt} - now())::float8 * 1000`;
const isOpen = sql`${rateLimits.endsAt} > now()`;

/**
 * Adds `owed`, points that were taken before, and then `points` if that many are left. It is one statement: tries side by side in several
 * processes never get more than `max`. Also returns how many web processes share the count.
 */
export async function addCount(
  on: Executor,
  key: string,
  { owed, points, max, seconds }: { owed: number; points: number; max: number; seconds: number },
): Promise<Counted> {
  const before = sql`(case when ${isOpen} then ${rateLimits.points} else 0 end)`;
  const taken = (base: typeof before) =>
    sql`case when ${base} + ${owed}::int + ${points}::int <= ${max}::int then ${points}::int else 0 end`;
  const total = (base: typeof before) => sql`${base} + ${owed}::int + ${taken(base)}`;
  const ends = sql`now() + make_interval(secs => ${seconds}::int)`;
  const none = sql`0`;
  const [row] = await on
    .insert(rateLimits)
    .values({ key, points: total(none), taken: taken(none), endsAt: ends })
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: {
        points: total(before),
        taken: taken(before),
        endsAt: sql`case when ${isOpen} then ${rateLimits.endsAt} else ${ends} end`,
      },
    })
    .returning({
      points: rateLimits.points,
      taken: rateLimits.taken,
      ms,
      webs: liveWebProcesses(),
    });
  if (!row) throw new Error("a limit was not counted");
  return row;
}

/** What was taken in the present window; undefined when nothing was. */
export async function findCount(
  on: Executor,
  key: string,
): Promise<Pick<Counted, "points" | "ms"> | undefined> {
  const [row] = await on
    .select({ points: rateLimits.points, ms })
    .from(rateLimits)
    .where(and(eq(rateLimits.key, key), isOpen));
  return row;
}

/** Takes points off a count, down to none. */
export async function subtractCount(key: string, points: number): Promise<void> {
  await db
    .update(rateLimits)
    .set({ points: sql`greatest(0, ${rateLimits.points} - ${points}::int)` })
    .where(and(eq(rateLimits.key, key), isOpen));
}

/** Forgets a count. */
export async function forgetCount(key: string): Promise<void> {
  await db.delete(rateLimits).where(eq(rateLimits.key, key));
}

/** Forgets counts after the end of their windows; returns how many. */
export async function forgetOldCounts(): Promise<number> {
  const { rowCount } = await db.delete(rateLimits).where(sql`not ${isOpen}`);
  return rowCount ?? 0;
}
