import { tzOffset } from "@date-fns/tz";
import { sql } from "drizzle-orm";
import type { Executor } from "@/db/client";

/** In January and in July. Laws that are newer may be missing in the time zone data of the server or of this process. */
const MOMENTS = ["2020-01-15T12:00:00Z", "2020-07-15T12:00:00Z"] as const;

/**
 * Which of these names the database server knows and reads as this process does, in small letters. Postgres looks among its abbreviations first: to it
 * CET has no summer time, and IST is Israel's.
 */
export async function agreedZones(on: Executor, names: readonly string[]): Promise<Set<string>> {
  const wanted = [...new Set(names.map((name) => name.toLowerCase()))];
  const { rows } = await on.execute<{ name: string; minutes: number[] }>(sql`
    select lower(name) as name, array(
      select (extract(epoch from (moment at time zone name) - (moment at time zone 'UTC')) / 60)::integer
      from unnest(${sql.param([...MOMENTS])}::timestamptz[]) with ordinality as given (moment, number) order by number
    ) as minutes from pg_timezone_names where lower(name) = any(${sql.param(wanted)}::text[])`);
  const agreed = rows.filter(({ name, minutes }) =>
    MOMENTS.every((moment, index) => tzOffset(name, new Date(moment)) === minutes[index]),
  );
  return new Set(agreed.map(({ name }) => name));
}
