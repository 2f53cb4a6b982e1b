import { getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { db } from "./client";
import { owned, type Owner } from "./owned";
import { paymentCounts, paymentLinkCounts, paymentSums } from "./schema/list-counts";

/** The beginning of the hour or day in UTC. */
export const beginOf = (span: "hour" | "day", moment: SQL): SQL =>
  sql`date_bin(${sql.raw(`'1 ${span}'`)}, ${moment}, '2000-01-01Z')`;

const BATCH_ROWS = 20_000;
const LOCK = 7_205_460_234;
const counted = [paymentLinkCounts, paymentCounts, paymentSums] as const;
const byStatus = { payment_links: paymentLinkCounts, payments: paymentCounts };

/** How many records have one of these statuses, or any status where none are given. Exact, without reading the records. */
export async function countByStatus(
  owner: Owner,
  list: keyof typeof byStatus,
  statuses?: readonly string[],
): Promise<number> {
  const table: typeof paymentLinkCounts | typeof paymentCounts = byStatus[list];
  const [row] = await db
    .select({ count: sql<number>`coalesce(sum(${table.count}), 0)::float8` })
    .from(table)
    .where(owned(owner, table, statuses && inArray(table.status as PgColumn, [...statuses])));
  return row?.count ?? 0;
}

/**
 * Folds the changes of each key into one row. Sums stay the same for every reader, and one process folds at a time. Returns how many full
 * batches there were, so that a backlog is folded at once.
 */
export async function foldCounts(): Promise<number> {
  let full = 0;
  for (const table of counted) if ((await fold(table)) >= BATCH_ROWS) full++;
  return full;
}

/** A change of a quarter of an hour belongs to its hour and its day too. */
const longer = sql.join(
  (["hour", "day"] as const).map(
    (span) =>
      sql`union all select business_id, mode, kind, ${sql.raw(`'${span}'`)}, ${beginOf(span, sql`start`)}, currency, count, amount, folded from fresh`,
  ),
  sql` `,
);

async function fold(table: (typeof counted)[number]): Promise<number> {
  const columns = Object.values(getTableColumns(table)).filter(
    ({ name }) => !["count", "amount", "folded"].includes(name),
  );
  const key = sql.join(
    columns.map(({ name }) => sql.identifier(name)),
    sql`, `,
  );
  // Each key's row is found by the index: Postgres does not know how many keys a batch has.
  const sameKey = columns.map((column) => sql`${column} = key.${sql.identifier(column.name)}`);
  const { rows } = await db.execute<{ fresh: number }>(sql`
    with turn as materialized (
      select pg_try_advisory_xact_lock(${LOCK}) as mine
    ), fresh as (
      delete from ${table} where (select mine from turn) and ctid = any(array(select ctid from ${table} where not folded limit ${BATCH_ROWS})) returning *
    ), changes as (
      select * from fresh ${table === paymentSums ? longer : sql``}
    ), earlier as (
      delete from ${table} where ctid = any(array(
        select known.ctid from (select distinct ${key} from changes) key,
          lateral (select ctid from ${table} where folded and ${sql.join(sameKey, sql` and `)} offset 0) known
      )) returning *
    ), written as (
      insert into ${table} (${key}, count, amount, folded)
      select ${key}, sum(count), sum(amount), true from (select * from changes union all select * from earlier) together
      group by ${key} having sum(count) <> 0 or sum(amount) <> 0
    )
    select count(*)::integer as fresh from fresh`);
  return rows[0]?.fresh ?? 0;
}
