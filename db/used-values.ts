import { and, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { db } from "./client";

/** The values of a column in the rows of a business and mode. An index must have it behind both: each value is then one look-up, however many rows have it. */
export async function usedValues(
  table: PgTable,
  column: PgColumn,
  scope: SQL,
): Promise<readonly string[]> {
  const least = (after?: SQL) =>
    sql`select min(${column}) from ${table} where ${and(scope, after)}`;
  const { rows } = await db.execute<{ value: string }>(sql`
    with recursive used (value) as (
      ${least()} union all select (${least(sql`${column} > used.value`)}) from used where used.value is not null
    ) select value from used where value is not null`);
  return rows.map(({ value }) => value);
}
