import { getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { advisoryKeys } from "./advisory-keys";
import { db } from "./client";
import { isSpread } from "./distributed";
import { owned, type Owner } from "./owned";
import {
  paymentCounts,
  paymentLinkCounts,
  paymentLinkStages,
  paymentSums,
} from "./schema/list-counts";

/** The beginning of the hour or day in UTC. */
export const beginOf = (span: "hour" | "day", moment: SQL): SQL =>
  sql`date_bin(${sql.raw(`'1 ${span}'`)}, ${moment}, '2000-01-01Z')`;

const BATCH_ROWS = 20_000;
const BATCH_BUSINESSES = 500;
const counted = [paymentLinkCounts, paymentCounts, paymentSums, paymentLinkStages] as const;
/** Columns that add up; the others are the key. */
const MEASURES = ["count", "amount", "created", "mailed", "opened", "tried", "paid"];
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

/** The payments of all businesses by status, mode and currency, from the kept counts. */
export async function unscopedCountPayments(): Promise<
  Array<{ status: string; mode: string; currency: string; count: number; amount: number }>
> {
  const { status, mode, currency, count, amount } = paymentCounts;
  return db
    .select({
      status,
      mode,
      currency,
      count: sql<number>`sum(${count})::float8`,
      amount: sql<number>`sum(${amount})::float8`,
    })
    .from(paymentCounts)
    .groupBy(status, mode, currency);
}

/**
 * Folds the changes of each key into one row. Sums stay the same for every reader, and one process folds at a time. Returns how many full
 * batches there were, so that a backlog is folded at once.
 */
export async function foldCounts(): Promise<number> {
  const fresh = await haveChanges();
  let full = 0;
  for (const [at, table] of counted.entries())
    if (fresh[at] && (await fold(table)) >= BATCH_ROWS) full++;
  return full;
}

/** Which tables may have changes. An install without work asks only this, and Postgres plans a fold only where there is one. */
async function haveChanges(): Promise<boolean[]> {
  const spread = await Promise.all(counted.map(isSpread));
  if (spread.some(Boolean)) return counted.map(() => true);
  const each = counted.map((table) => sql`exists (select from ${table} where not folded)`);
  const { rows } = await db.execute<{ found: boolean[] }>(
    sql`select array[${listOf(each)}] as found`,
  );
  return rows[0]?.found ?? [];
}

const listOf = (parts: readonly SQL[], separator = sql`, `) => sql.join([...parts], separator);

async function fold(table: (typeof counted)[number]): Promise<number> {
  const all = Object.values(getTableColumns(table)).filter(({ name }) => name !== "folded");
  const named = (columns: readonly { name: string }[]) =>
    listOf(columns.map(({ name }) => sql`${sql.identifier(name)}`));
  const columns = all.filter(({ name }) => !MEASURES.includes(name));
  const measures = all.filter(({ name }) => MEASURES.includes(name));
  const key = named(columns);
  // Each key's row is found by the index: Postgres does not know how many keys a batch has.
  const sameKey = columns.map((column) => sql`${column} = key.${sql.identifier(column.name)}`);
  const sums = measures.map(({ name }) => sql`sum(${sql.identifier(name)})`);
  // A change of a quarter of an hour belongs to its hour and its day too.
  const longer = (["hour", "day"] as const).map((span) => {
    const values = all.map(({ name }) =>
      name === "span"
        ? sql.raw(`'${span}'`)
        : name === "start"
          ? beginOf(span, sql`start`)
          : sql`${sql.identifier(name)}`,
    );
    return sql`union all select ${listOf(values)} from fresh`;
  });
  const changes = sql`changes as (
      select ${named(all)} from fresh ${"span" in table ? listOf(longer, sql` `) : sql``}
    )`;
  const written = sql`insert into ${table} (${key}, ${named(measures)}, folded)
      select ${key}, ${listOf(sums)}, true from (select * from changes union all select ${named(all)} from earlier) together
      group by ${key} having ${listOf(
        sums.map((sum) => sql`${sum} <> 0`),
        sql` or `,
      )}`;
  if (await isSpread(table)) {
    // One business at a time, in one statement on its server. Where two processes do it at once a key may keep two rows until the next time.
    const { rows } = await db.execute<{ id: number }>(
      sql`select distinct business_id as id from ${table} where not folded limit ${BATCH_BUSINESSES}`,
    );
    for (const { id } of rows)
      await db.execute(sql`
        with fresh as (delete from ${table} where business_id = ${id} and not folded returning *), ${changes}, earlier as (
          delete from ${table} where business_id = ${id} and folded and (${key}) in (select ${key} from changes) returning *
        ) ${written}`);
    return rows.length === BATCH_BUSINESSES ? BATCH_ROWS : 0;
  }
  const { rows } = await db.execute<{ fresh: number }>(sql`
    with turn as materialized (
      select pg_try_advisory_xact_lock(${advisoryKeys.listCounts}) as mine
    ), fresh as (
      delete from ${table} where (select mine from turn) and ctid = any(array(select ctid from ${table} where not folded limit ${BATCH_ROWS})) returning *
    ), ${changes}, earlier as (
      delete from ${table} where ctid = any(array(
        select known.ctid from (select distinct ${key} from changes) key,
          lateral (select ctid from ${table} where folded and ${listOf(sameKey, sql` and `)} offset 0) known
      )) returning *
    ), written as (
      ${written}
    )
    select count(*)::integer as fresh from fresh`);
  return rows[0]?.fresh ?? 0;
}
