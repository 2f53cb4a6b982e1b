import type pg from "pg";

/** Seconds since this worker was seen; null when it never was. In plain SQL for the supervisor, which keeps no schema in its memory. */
export async function unscopedSecondsSinceSeen(on: pg.Pool, id: string): Promise<number | null> {
  const { rows } = await on.query<{ seconds: number }>(
    "select extract(epoch from now() - seen_at)::float8 as seconds from workers where id = $1",
    [id],
  );
  return rows[0]?.seconds ?? null;
}
