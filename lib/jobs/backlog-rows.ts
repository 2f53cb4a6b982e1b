import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { isSpread } from "@/db/distributed";
import {
  blank,
  claimOrder,
  type Due,
  isDue,
  isFree,
  keyColumns,
  list,
  named,
  type Tenant,
  tuple,
} from "./claim-rows";
import { walk } from "./look-rows";

/** A tenant with a row that is due for too long and that has failed or has no worker. `tried`: a worker has claimed some of its rows. */
export type Overdue = { tenant: Tenant; seconds: number; tried: boolean };

/** Looked at, with all that are equal to the last of them in order, to see whether a tenant's work is tried. */
const FIRST_CLAIMED_ROWS = 20;

/**
 * The tenants with work that has been due for longer than this. A first try that goes on is overdue only with `duringTries`; work that fails at
 * every try is.
 */
export async function unscopedOverdue(
  due: Due,
  afterSeconds: number,
  duringTries = false,
): Promise<Overdue[]> {
  const { table, fairBy, moment } = due;
  const names = named("k", fairBy);
  const ofTenant = sql`${tuple(fairBy.map(blank))} = ${tuple(named("k", fairBy, "walk."))} and ${isDue(due)}`;
  const isTried = sql`${table.failures} > 0 or not ${isFree(table)}`;
  const isLate = sql`${moment} < now() - make_interval(secs => ${afterSeconds})${duringTries ? sql`` : sql` and (${isFree(table)} or ${table.failures} > 0)`}`;
  const { rows } = await db.execute<Record<string, string | number | boolean>>(
    (await isSpread(table))
      ? sql`select ${list(names)}, extract(epoch from now() - min(since) filter (where is_late))::float8 as seconds, bool_or(is_tried) as tried from (
          select ${keyColumns(fairBy)}, ${moment} as since, ${isTried} as is_tried,
            ${isLate} as is_late
          from ${table} where ${isDue(due)}) due_rows group by ${list(names)} having bool_or(is_late)`
      : sql`
    with recursive ${walk(due, undefined, undefined, 1_000_000)}
    select ${list(names)}, seconds, tried from walk, lateral (
      select extract(epoch from now() - ${moment})::float8 as seconds from ${table}
      where ${ofTenant} and ${isLate}
      order by ${moment} limit 1) oldest, lateral (
      select bool_or(is_tried) as tried from (
        select ${isTried} as is_tried from ${table} where ${ofTenant}
        order by ${claimOrder(due)} fetch first ${FIRST_CLAIMED_ROWS} rows with ties) first_claimed) tries`,
  );
  return rows.map((row) => ({
    tenant: fairBy.map((_, at) => row[`k${at}`] as string | number),
    seconds: Number(row.seconds),
    tried: row.tried === true,
  }));
}

/** Of a tenant, and of all tenants: beyond that a backlog is only counted as this many. */
const MAX_COUNTED_OF_TENANT = 1_000;
export const MAX_COUNTED_DUE = 10_000;

/** How many rows are due and wait for a worker, failed ones too, up to `MAX_COUNTED_DUE`; and for how many seconds the oldest has been due, 0 when none is. */
export async function unscopedCountDue(due: Due): Promise<{ rows: number; oldest: number }> {
  const { table, fairBy, moment } = due;
  const figures = sql`count(*)::float8 as rows, coalesce(extract(epoch from now() - min(since)), 0)::float8 as oldest`;
  const waiting = sql`${isDue(due)} and (${isFree(table)} or ${table.failures} > 0)`;
  const { rows } = await db.execute<{ rows: number; oldest: number }>(
    (await isSpread(table))
      ? sql`select ${figures} from (select ${moment} as since from ${table} where ${waiting} limit ${MAX_COUNTED_DUE}) counted`
      : sql`
    with recursive ${walk(due, undefined, undefined, 1_000_000)}
    select ${figures} from (
      select since from walk, lateral (
        select ${moment} as since from ${table} where ${tuple(fairBy.map(blank))} = ${tuple(named("k", fairBy, "walk."))} and ${waiting}
        order by ${moment} limit ${MAX_COUNTED_OF_TENANT}) of_tenant
      limit ${MAX_COUNTED_DUE}) counted`,
  );
  const [row] = rows;
  if (!row) throw new Error("a count without an answer");
  return row;
}

/** Whether more rows than this are due. */
export async function unscopedIsDueMoreThan(due: Due, rows: number): Promise<boolean> {
  const { table, fairBy } = due;
  const limit = Math.floor(rows) + 1;
  const { rowCount } = await db.execute(
    (await isSpread(table))
      ? sql`select from (select 1 as one from ${table} where ${isDue(due)} limit ${limit}) due offset ${limit - 1} limit 1`
      : sql`
    with recursive ${walk(due, undefined, undefined, 1_000_000)}
    select from walk, lateral (
      select from ${table} where ${tuple(fairBy.map(blank))} = ${tuple(named("k", fairBy, "walk."))} and ${isDue(due)} limit ${limit}) due
    offset ${limit - 1} limit 1`,
  );
  return (rowCount ?? 0) > 0;
}
