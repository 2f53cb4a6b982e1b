import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { db } from "./client";

/** Tables of which each server of a cluster has a copy: small, seldom written, and joined by the rows of every business. */
export const copiedTables = ["auth_users", "businesses", "memberships", "test_clocks"] as const;

type Asked = {
  query: (text: string) => Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;
};
let asked: Promise<boolean> | undefined;

/** Whether the rows of this table are spread over the servers of a Citus cluster, by business. A statement on them then names one business as a value. */
export async function isSpread(table: PgTable): Promise<boolean> {
  if (!(await isDistributed())) return false;
  const { name, schema = "public" } = getTableConfig(table);
  if (schema !== "public" || !("businessId" in getTableColumns(table))) return false;
  return !(copiedTables as readonly string[]).includes(name);
}

/**
 * Runs a statement once for all rows. Where businesses are spread over servers, it runs for the rows of each business, with a condition that
 * names the business.
 */
export async function byBusiness<T extends object, R>(
  table: PgTable,
  rows: readonly T[],
  run: (rows: readonly T[], ofBusiness: (name?: string) => SQL) => Promise<R>,
): Promise<R[]> {
  if (!(await isSpread(table))) return [await run(rows, () => sql.raw(""))];
  const { name } = getTableConfig(table);
  const results: R[] = [];
  for (const [businessId, some] of Map.groupBy(
    rows,
    (row) => (row as { businessId?: number }).businessId,
  ))
    results.push(
      await run(some, (as = name) => sql` and ${sql.identifier(as)}.business_id = ${businessId}`),
    );
  return results;
}

/**
 * Whether this install is distributed. Asked once, since `citus:distribute` refuses while processes run. A read on a connection of its own asks
 * there: the pool for requests may have none left.
 */
export function isDistributed(): Promise<boolean> {
  asked ??= askDistributed({ query: (text) => db.execute(sql.raw(text)) }).catch(
    (error: unknown) => {
      asked = undefined;
      throw error;
    },
  );
  return asked;
}

/** The same, asked of the database that a connection leads to. */
export async function askDistributed(client: Asked): Promise<boolean> {
  const { rows: found } = await client.query(
    "select to_regclass('pg_catalog.pg_dist_partition') is not null as citus",
  );
  if (found[0]?.citus !== true) return false;
  const { rowCount } = await client.query(
    "select from pg_dist_partition where logicalrelid = to_regclass('payment_links')",
  );
  return rowCount === 1;
}
