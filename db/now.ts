import { sql } from "drizzle-orm";
import { db, type Executor } from "./client";

/** The database's clock in milliseconds; in a transaction, the moment it began. Moments that rows hold are compared with this clock only. */
export async function databaseNow(on: Executor = db): Promise<number> {
  const { rows } = await on.execute<{ ms: number }>(
    sql`select extract(epoch from now())::float8 * 1000 as ms`,
  );
  return rows[0]?.ms ?? Number.NaN;
}
