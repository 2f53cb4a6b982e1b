import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import pg from "pg";
import { connectionOptions } from "./connection";

/** Tables of which each server of a cluster has a copy: small, seldom written, and joined by the rows of every business. */
export const copiedTables = ["auth_users", "businesses", "memberships", "test_clocks"] as const;

const ASK_MS = 5_000;
const ASK_AGAIN_MS = 60_000;
let asked: Promise<boolean> | undefined;
let askAgainAt = 0;

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
 * Whether this install is distributed. Asked on a connection of its own: those of the pool may all be held by transactions that wait for the answer.
 * A yes is kept. A no is asked again each minute, beside the callers: `citus:distribute` finds no process that starts while it runs.
 */
export function isDistributed(): Promise<boolean> {
  if (asked && performance.now() < askAgainAt) return asked;
  askAgainAt = performance.now() + ASK_AGAIN_MS;
  const former = asked;
  const answer = askOnce().catch((error: unknown) => {
    if (former) return false;
    asked = undefined;
    throw error;
  });
  answer.then(
    (found) => {
      asked = answer;
      if (found) askAgainAt = Number.POSITIVE_INFINITY;
    },
    () => undefined,
  );
  asked ??= answer;
  return asked;
}

async function askOnce(): Promise<boolean> {
  const own = new pg.Pool({ ...connectionOptions(), max: 1, connectionTimeoutMillis: ASK_MS });
  own.on("error", () => undefined);
  try {
    return await askDistributed(own);
  } finally {
    await own.end();
  }
}

/** The same, asked of the database that a connection leads to. */
export async function askDistributed(client: pg.Client | pg.Pool): Promise<boolean> {
  const { rows: found } = await client.query<{ citus: boolean }>(
    "select to_regclass('pg_catalog.pg_dist_partition') is not null as citus",
  );
  if (!found[0]?.citus) return false;
  const { rowCount } = await client.query(
    "select from pg_dist_partition where logicalrelid = to_regclass('payment_links')",
  );
  return rowCount === 1;
}
