import { getTableColumns, type InferSelectModel, sql, type SQL } from "drizzle-orm";
import { type AnyPgColumn, getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { db, type Tx } from "@/db/client";
import { byBusiness, isSpread } from "@/db/distributed";
import { workers } from "@/db/schema/workers";

/** A worker without a heartbeat for this long is dead: its claims are free again. */
export const HEARTBEAT_LIMIT_SECONDS = 15;

/** A table with one row for each piece of work: see `claims()` in `db/columns.ts`. */
export type ClaimableTable = PgTable & {
  leasedBy: AnyPgColumn;
  leasedUntil: AnyPgColumn;
  fence: AnyPgColumn;
  failures: AnyPgColumn;
};

/** Which rows of a table are due. An index on `fairBy`, then `moment`, where `where` is true, must serve it. */
export type Due<T extends ClaimableTable = ClaimableTable> = {
  table: T;
  /** The tenant: its business, or its business and gateway account. */
  fairBy: readonly AnyPgColumn[];
  /** When a row is due. */
  moment: AnyPgColumn | SQL;
  /** The same for a row of this business, where `moment` is a subquery. */
  momentOf?: (businessId: SQL) => SQL;
  /** What else makes a row due, in the words of the index. */
  where: SQL;
  /** False for rows of a tenant that come before its others, however long those wait. */
  first?: SQL;
};

export type Row<T extends ClaimableTable> = InferSelectModel<T> & {
  fence: number;
  failures: number;
};

/** The values of `fairBy`. */
export type Tenant = readonly (string | number)[];

const LOCK = sql.raw("for no key update");
/** Leaves out rows that other transactions have locked. */
export const SKIP_LOCKED = sql.raw("skip locked");

export const isAlive = sql`(select id from ${workers} where seen_at > now() - make_interval(secs => ${sql.raw(String(HEARTBEAT_LIMIT_SECONDS))}))`;

/** No lease runs, or the worker that has it is dead. `alive`: the ids of the living, where they are known already. */
export const isFree = (table: ClaimableTable, alive?: readonly string[]): SQL => {
  const isDead = alive
    ? sql`${table.leasedBy} <> all(${sql.param(alive)}::text[])`
    : sql`${table.leasedBy} not in ${isAlive}`;
  return sql`(${table.leasedUntil} is null or ${table.leasedUntil} <= now() or (${table.leasedBy} is not null and ${isDead}))`;
};

const momentIn = ({ moment, momentOf }: Due, businessId: SQL | undefined) =>
  (businessId && momentOf?.(businessId)) ?? moment;

export const isDue = (
  due: Due,
  { now = sql.raw("now()"), businessId }: { now?: SQL; businessId?: SQL } = {},
): SQL => sql`${due.where} and ${momentIn(due, businessId)} <= ${now}`;

/** In which order rows of a tenant are claimed. Rows that are equal in it are claimed in any order. */
export const claimOrder = (due: Due, businessId?: SQL): SQL => {
  const moment = momentIn(due, businessId);
  return due.first ? sql`${due.first}, ${moment}` : sql`${moment}`;
};

export const blank = (column: AnyPgColumn) =>
  column.notNull
    ? sql`${column}`
    : sql`coalesce(${column}, ${column.dataType === "number" ? sql.raw("0") : sql.raw("''")})`;
export const list = (parts: readonly SQL[]) => sql.join([...parts], sql`, `);
export const tuple = (parts: readonly SQL[]) =>
  parts.length === 1 ? (parts[0] as SQL) : sql`(${list(parts)})`;
export const named = (prefix: string, columns: readonly unknown[], of = "") =>
  columns.map((_, at) => sql.raw(`${of}${prefix}${at}`));

/** The values of `fairBy` as columns `k0`, `k1`. */
export const keyColumns = (fairBy: readonly AnyPgColumn[]) =>
  list(fairBy.map((column, at) => sql`${blank(column)} as ${sql.raw(`k${at}`)}`));

/** How many rows of a tenant may be claimed now, and how many of its rows are under way. */
export type Share = { tenant: Tenant; room: number; busy: number };

/**
 * Claims due rows of these tenants, the oldest first, one of each tenant before a second one of any. Each row goes to one worker,
 * under a fence of its own. Returns the rows as they now are.
 */
export async function unscopedClaim<T extends ClaimableTable>(
  due: Due<T>,
  shares: readonly Share[],
  { limit, worker, leaseSeconds }: { limit: number; worker: string | null; leaseSeconds: number },
): Promise<Row<T>[]> {
  const { table } = due;
  if (shares.length === 0 || limit <= 0) return [];
  if (!(await isSpread(table))) return claim(due, shares, { limit, worker, leaseSeconds });
  const ofBusinesses = Map.groupBy(shares, ({ tenant }) => tenant[0] as number);
  const each = Math.ceil(limit / ofBusinesses.size);
  const claims = [...ofBusinesses].map(([businessId, ofBusiness]) =>
    claim(due, ofBusiness, { limit: each, worker, leaseSeconds }, sql`${businessId}::integer`),
  );
  return (await Promise.all(claims)).flat();
}

async function claim<T extends ClaimableTable>(
  due: Due<T>,
  shares: readonly Share[],
  { limit, worker, leaseSeconds }: { limit: number; worker: string | null; leaseSeconds: number },
  businessId?: SQL,
): Promise<Row<T>[]> {
  const { table, fairBy, first = sql.raw("false") } = due;
  const moment = momentIn(due, businessId);
  const ofBusiness = businessId ? sql` and business_id = ${businessId}` : sql.raw("");
  const keys = keysOf(table).map(({ column }) => column);
  const tenants = JSON.stringify(
    shares.map(({ tenant, room, busy }) => ({
      room,
      busy,
      ...Object.fromEntries(tenant.map((value, at) => [`k${at}`, value])),
    })),
  );
  const types = list(fairBy.map((column, at) => sql.raw(`k${at} ${column.getSQLType()}`)));
  const picked = list(keys.map(({ name }) => sql.raw(`"${name}"`)));
  const claimed = sql`(${list(keys.map((key) => sql`${key}`))}) in (
    with tenant as (select * from jsonb_to_recordset(${tenants}::jsonb) as t(${types}, room int, busy int)),
    picked as materialized (
      select p.*, row_number() over (partition by ${list(named("k", fairBy, "tenant."))} order by p.later, p.due_moment) as nth, tenant.room, tenant.busy
      from tenant, lateral (
        select ${list(keys.map((key) => sql`${key}`))}, ${first} as later, ${moment} as due_moment from ${table}
        where ${tuple(fairBy.map(blank))} = ${tuple(named("k", fairBy, "tenant."))} and ${isDue(due, businessId && { businessId })} and ${isFree(table)}${ofBusiness}
        order by ${claimOrder(due, businessId)} limit ${Math.max(...shares.map(({ room }) => room))} ${LOCK} ${SKIP_LOCKED}) p)
    select ${picked} from picked where nth <= room order by nth + busy, due_moment limit ${limit})${ofBusiness}`;
  const rows = await db
    .update(table as PgTable)
    .set({
      leasedBy: worker,
      leasedUntil: sql`now() + make_interval(secs => ${leaseSeconds})`,
      fence: sql`${table.fence} + 1`,
    } as never)
    .where(claimed)
    .returning();
  return rows as Row<T>[];
}

/**
 * Extends the leases of rows that are worked on. A row that is done, or that another worker has, stays as it is. A row that is locked is being
 * finished: waiting for it could deadlock with the transaction that finishes it.
 */
export async function unscopedExtend<T extends ClaimableTable>(
  table: T,
  rows: readonly Row<T>[],
  leaseSeconds: number,
): Promise<void> {
  await byBusiness(table, rows, (some, ofBusiness) =>
    db.execute(sql`with ${lockedHeld(table, some, sql` and ${table.leasedUntil} is not null${ofBusiness()}`, SKIP_LOCKED)}
      update ${table} set leased_until = now() + make_interval(secs => ${leaseSeconds}) from held where ${sameKey(table, "held")}${ofBusiness()}`),
  );
}

/**
 * Ends the claims of rows after successful work. A row that is still due keeps its lease, so that it does not run in a loop, unless
 * `repeats` says that more work for a row is usual.
 */
export async function unscopedRelease<T extends ClaimableTable>(
  due: Due<T>,
  rows: readonly Row<T>[],
  repeats: boolean,
): Promise<void> {
  const { table } = due;
  const unchanged = sql` and (${table.leasedUntil} is not null or ${table.failures} > 0)`;
  await byBusiness(table, rows, (some, ofBusiness) =>
    db.execute(sql`with ${lockedHeld(table, some, sql`${unchanged}${ofBusiness()}`)} update ${table} set leased_by = null, failures = 0,
      leased_until = case when ${isDue(due, { now: sql.raw("(select now())") })} and not ${repeats}::boolean then ${table.leasedUntil} end
      from held where ${sameKey(table, "held")}${ofBusiness()}`),
  );
}

/** Ends the claims of rows after failed work; the delay grows with every failure, from `first` to `max` seconds. */
export async function unscopedBackOff<T extends ClaimableTable>(
  table: T,
  rows: readonly Row<T>[],
  [first, max]: readonly [first: number, max: number],
): Promise<void> {
  await byBusiness(table, rows, (some, ofBusiness) =>
    db.execute(sql`with ${lockedHeld(table, some, ofBusiness())} update ${table} set leased_by = null, failures = ${table.failures} + 1,
      leased_until = (select now() + make_interval(secs => least(${max}, ${first} * 2 ^ least(${table.failures}, 20))))
      from held where ${sameKey(table, "held")}${ofBusiness()}`),
  );
}

const countOf = (results: readonly { rowCount: number | null }[]) =>
  results.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);

/** Another worker has claimed a row since: what was done about it here must not be committed. */
export class ClaimLost extends Error {}

/** Locks claimed rows for the transaction that writes their outcome. Throws ClaimLost when another worker has one of them. */
export async function assertHeld<T extends ClaimableTable>(
  tx: Tx,
  table: T,
  rows: readonly Row<T>[],
): Promise<void> {
  const held = await byBusiness(table, rows, (some, ofBusiness) =>
    tx.execute(sql`with ${lockedHeld(table, some, ofBusiness())} select from held`),
  );
  if (countOf(held) !== rows.length) throw new ClaimLost("another worker has claimed this work");
}

/** Deletes rows in the transaction that does their work. Throws ClaimLost when another worker has one of them. */
export async function deleteHeld<T extends ClaimableTable>(
  tx: Tx,
  table: T,
  rows: readonly Row<T>[],
): Promise<void> {
  const done = await byBusiness(table, rows, (some, ofBusiness) =>
    tx.execute(
      sql`with ${lockedHeld(table, some, ofBusiness())} delete from ${table} using held where ${sameKey(table, "held")}${ofBusiness()}`,
    ),
  );
  if (countOf(done) !== rows.length) throw new ClaimLost("another worker has claimed this work");
}

/** The primary key: the columns and their properties in a row. */
function keysOf(table: PgTable): Array<{ property: string; column: AnyPgColumn }> {
  const [key] = getTableConfig(table).primaryKeys;
  const names = key?.columns.map(({ name }) => name);
  return Object.entries(getTableColumns(table) as Record<string, AnyPgColumn>)
    .map(([property, column]) => ({ property, column }))
    .filter(({ column }) => names?.includes(column.name) ?? column.primary);
}

/** The claims as a table `claim`: key and fence of each row. */
function claimsOf<T extends ClaimableTable>(table: T, rows: readonly Row<T>[]): SQL {
  const keys = keysOf(table);
  const claims = rows.map((row) => ({
    fence: row.fence,
    ...Object.fromEntries(
      keys.map(({ property, column }) => [column.name, (row as Record<string, unknown>)[property]]),
    ),
  }));
  const types = keys.map(({ column }) => sql.raw(`"${column.name}" ${column.getSQLType()}`));
  return sql`jsonb_to_recordset(${JSON.stringify(claims)}::jsonb) as claim(${list(types)}, fence bigint)`;
}

const isSame = (columns: readonly AnyPgColumn[], other: string): SQL =>
  sql.join(
    columns.map((column) => sql`${column} = ${sql.raw(`${other}."${column.name}"`)}`),
    sql` and `,
  );
const sameKey = (table: ClaimableTable, other: string): SQL =>
  isSame(
    keysOf(table).map(({ column }) => column),
    other,
  );

/**
 * The keys of claimed rows that are still held, as a table `held`. Rows are locked in the order of their keys, so that two statements on the
 * same rows cannot deadlock.
 */
function lockedHeld<T extends ClaimableTable>(
  table: T,
  rows: readonly Row<T>[],
  more: SQL = sql.raw(""),
  skip: SQL = sql.raw(""),
): SQL {
  const keys = keysOf(table).map(({ column }) => column);
  const columns = list(keys.map((key) => sql`${key}`));
  return sql`held as materialized (
    select ${columns} from ${table}, ${claimsOf(table, rows)}
    where ${isSame([...keys, table.fence], "claim")}${more}
    order by ${columns} ${LOCK} of ${sql.identifier(getTableConfig(table).name)} ${skip})`;
}
