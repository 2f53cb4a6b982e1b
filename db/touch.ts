import { sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { db } from "./client";
import { byBusiness } from "./distributed";

export type Key = { readonly businessId: number; readonly id: string };
type Touched = PgTable & { businessId: AnyPgColumn; id: AnyPgColumn };

/**
 * Writes the moment of now to a column of these rows; with `once` only where it is empty. Rows that others have locked are left out and
 * returned: one lock must not keep the rows of other businesses waiting.
 */
export async function touch(
  table: Touched,
  column: AnyPgColumn,
  rows: readonly Key[],
  { once = false } = {},
): Promise<Key[]> {
  const isWanted = sql.raw(once ? ` and t."${column.name}" is null` : "");
  const left = await byBusiness(table, rows, async (some, ofBusiness) => {
    const keys = JSON.stringify(some.map(({ businessId, id }) => ({ businessId, id })));
    const given = sql`jsonb_to_recordset(${keys}::jsonb) as g("businessId" int, id text)`;
    const found = sql`t.business_id = g."businessId" and t.id = g.id${isWanted}${ofBusiness("t")}`;
    const result = await db.execute<Key>(sql`
      with free as materialized (
        select t.business_id, t.id from ${table} t, ${given} where ${found} order by t.business_id, t.id for no key update of t skip locked
      ), touched as (
        update ${table} t set ${sql.identifier(column.name)} = now() from free where t.business_id = free.business_id and t.id = free.id${ofBusiness("t")}
      )
      select g."businessId", g.id from ${table} t, ${given} where ${found} and g.id not in (select free.id from free)`);
    return result.rows;
  });
  return left.flat();
}
