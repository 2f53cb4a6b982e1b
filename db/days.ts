import { type SQL, sql } from "drizzle-orm";

/** When a day begins in a zone. Where clocks go back at midnight, it begins with the first of two equal hours. `lib/client/ranges.ts` has the same rule. */
export const beginOfDay = (day: SQL, timeZone: string | SQL): SQL => {
  const midnight = sql`(${day} at time zone ${timeZone})`;
  const hourBefore = sql`(${midnight} - interval '1 hour')`;
  return sql`case when ${hourBefore} at time zone ${timeZone} = ${day} then ${hourBefore} else ${midnight} end`;
};
