import { createHash } from "node:crypto";
import { getTableColumns, type InferSelectModel, sql, type SQL } from "drizzle-orm";
import { type AnyPgColumn, getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { db, type Tx } from "@/db/client";
import { workers } from "@/db/schema/workers";

/** A worker without a heartbeat for this long is dead: its claims are free again. */
export const HEARTBEAT_LIMIT_SECONDS = 15;
/** How many tenants one poll looks through; the next poll goes on from there. */
const TENANTS_PER_POLL = 1_000;

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
const SKIP_LOCKED = sql.raw("skip locked");

const isAlive = sql`(select id from ${workers} where seen_at > now() - make_interval(secs => ${sql.raw(String(HEARTBEAT_LIMIT_SECONDS))}))`;

/** No lease runs, or the worker that has it is dead. */
export const isFree = (table: ClaimableTable): SQL =>
  sql`(${table.leasedUntil} is null or ${table.leasedUntil} <= now() or (${table.leasedBy} is not null and ${table.leasedBy} not in ${isAlive}))`;

const isDue = ({ moment, where }: Due): SQL => sql`${where} and ${moment} <= now()`;

const blank = (column: AnyPgColumn) =>
  column.notNull
    ? sql`${column}`
    : sql`coalesce(${column}, ${column.dataType === "number" ? sql.raw("0") : sql.raw("''")})`;
const list = (parts: readonly SQL[]) => sql.join([...parts], sql`, `);
const tuple = (parts: readonly SQL[]) =>
  parts.length === 1 ? (parts[0] as SQL) : sql`(${list(parts)})`;
const named = (prefix: string, columns: readonly unknown[], of = "") =>
  columns.map((_, at) => sql.raw(`${of}${prefix}${at}`));

/** The tenants that have rows which are or will be due, in their order, `after` one of them. */
function walk(
  due: Due,
  after: Tenant | undefined,
  only: number | string | undefined,
  steps: number | SQL,
): SQL {
  const { table, fairBy, where } = due;
  const keys = fairBy.map(blank);
  const first = keys[0] as SQL;
  const within = only === undefined ? where : sql`${where} and ${first} = ${only}`;
  const names = named("k", fairBy);
  const start =
    after &&
    sql` and ${tuple(keys)} > ${tuple(after.map((value, at) => sql`${value}::${sql.raw(fairBy[at]?.getSQLType() ?? "text")}`))}`;
  const columns = list(keys.map((key, at) => sql`${key} as ${names[at]}`));
  return sql`walk as (
    (select ${columns}, 1 as step from ${table} where ${within}${start} order by ${list(keys)} limit 1)
    union all
    select next.*, walk.step + 1 from walk, lateral (
      select ${columns} from ${table} where ${within} and ${tuple(keys)} > ${tuple(named("k", fairBy, "walk."))}
      order by ${list(keys)} limit 1) next
    where walk.step < ${steps})`;
}

/** Tenants with work that is due and free, from `after` on, and where the walk through them ended: undefined at the end of all. */
export async function unscopedDueTenants(
  due: Due,
  after: Tenant | undefined,
  only?: number | string,
): Promise<{ tenants: Tenant[]; walkedTo: Tenant | undefined }> {
  const { table, fairBy } = due;
  const names = named("k", fairBy);
  const { rows } = await db.execute<Record<string, string | number | boolean>>(sql`
    with recursive ${walk(due, after, only, TENANTS_PER_POLL)}
    select ${list(names)}, exists (
      select from ${table} where ${tuple(fairBy.map(blank))} = ${tuple(named("k", fairBy, "walk."))} and ${isDue(due)} and ${isFree(table)}) as due
    from walk order by ${list(names)}`);
  const walked = rows.map((row) => fairBy.map((_, at) => row[`k${at}`] as string | number));
  return {
    tenants: walked.filter((_, at) => rows[at]?.due === true),
    walkedTo: rows.length < TENANTS_PER_POLL ? undefined : walked.at(-1),
  };
}

let asked: { dues: readonly Due[]; ask: () => Promise<{ found: boolean[] }[]> } | undefined;

/** Which of these have rows that are due and free, in one statement that Postgres plans once for a connection. */
export async function unscopedHaveWork(dues: readonly Due[]): Promise<boolean[]> {
  if (asked?.dues.length !== dues.length || dues.some((due, at) => due !== asked?.dues[at])) {
    const found = sql<boolean[]>`array[${list(dues.map(hasWork))}]`;
    const statement = db.select({ found }).from(sql`(select) as one`);
    // The name says which kinds of work: one name may not have two texts in a connection.
    const name = createHash("sha256").update(statement.toSQL().sql).digest("hex").slice(0, 16);
    const prepared = statement.prepare(`work_${name}`);
    asked = { dues, ask: () => prepared.execute() };
  }
  const [row] = await asked.ask();
  return row?.found ?? [];
}

const hasWork = (due: Due): SQL => {
  const { table, fairBy } = due;
  return sql`exists (with recursive ${walk(due, undefined, undefined, sql.raw("1000000"))} select from walk where exists (
    select from ${table} where ${tuple(fairBy.map(blank))} = ${tuple(named("k", fairBy, "walk."))} and ${isDue(due)} and ${isFree(table)}))`;
};

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
  if (shares.length === 0 || limit <= 0) return [];
  const { table, fairBy, moment, first = sql.raw("false") } = due;
  const order = due.first ? sql`${first}, ${moment}` : moment;
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
        where ${tuple(fairBy.map(blank))} = ${tuple(named("k", fairBy, "tenant."))} and ${isDue(due)} and ${isFree(table)}
        order by ${order} limit ${Math.max(...shares.map(({ room }) => room))} ${LOCK} ${SKIP_LOCKED}) p)
    select ${picked} from picked where nth <= room order by nth + busy, due_moment limit ${limit})`;
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
  await db.execute(sql`with ${lockedHeld(table, rows, sql` and ${table.leasedUntil} is not null`, SKIP_LOCKED)}
    update ${table} set leased_until = now() + make_interval(secs => ${leaseSeconds}) from held where ${sameKey(table, "held")}`);
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
  await db.execute(sql`with ${lockedHeld(table, rows, unchanged)} update ${table} set leased_by = null, failures = 0,
      leased_until = case when ${isDue(due)} and not ${repeats}::boolean then ${table.leasedUntil} end
    from held where ${sameKey(table, "held")}`);
}

/** Ends the claims of rows after failed work; the delay grows with every failure, from `first` to `max` seconds. */
export async function unscopedBackOff<T extends ClaimableTable>(
  table: T,
  rows: readonly Row<T>[],
  [first, max]: readonly [first: number, max: number],
): Promise<void> {
  await db.execute(sql`with ${lockedHeld(table, rows)} update ${table} set leased_by = null, failures = ${table.failures} + 1,
      leased_until = now() + make_interval(secs => least(${max}, ${first} * 2 ^ least(${table.failures}, 20)))
    from held where ${sameKey(table, "held")}`);
}

/** Another worker has claimed a row since: what was done about it here must not be committed. */
export class ClaimLost extends Error {}

/** Locks claimed rows for the transaction that writes their outcome. Throws ClaimLost when another worker has one of them. */
export async function assertHeld<T extends ClaimableTable>(
  tx: Tx,
  table: T,
  rows: readonly Row<T>[],
): Promise<void> {
  const held = await tx.execute(sql`with ${lockedHeld(table, rows)} select from held`);
  if (held.rowCount !== rows.length) throw new ClaimLost("another worker has claimed this work");
}

/** Deletes rows in the transaction that does their work. Throws ClaimLost when another worker has one of them. */
export async function deleteHeld<T extends ClaimableTable>(
  tx: Tx,
  table: T,
  rows: readonly Row<T>[],
): Promise<void> {
  const done = await tx.execute(
    sql`with ${lockedHeld(table, rows)} delete from ${table} using held where ${sameKey(table, "held")}`,
  );
  if (done.rowCount !== rows.length) throw new ClaimLost("another worker has claimed this work");
}

/** A tenant with a row that is due for too long and that has failed or has no worker. `tried`: a worker has claimed some of its rows. */
export type Overdue = { tenant: Tenant; seconds: number; tried: boolean };

/** Looked at to see whether a tenant's work is tried: claims take the oldest rows first. */
const OLDEST_ROWS = 20;

/** The tenants with work that has been due for longer than this. A first try that goes on is not overdue; work that fails at every try is. */
export async function unscopedOverdue(due: Due, afterSeconds: number): Promise<Overdue[]> {
  const { table, fairBy, moment } = due;
  const names = named("k", fairBy);
  const ofTenant = sql`${tuple(fairBy.map(blank))} = ${tuple(named("k", fairBy, "walk."))} and ${isDue(due)}`;
  const { rows } = await db.execute<Record<string, string | number | boolean>>(sql`
    with recursive ${walk(due, undefined, undefined, 1_000_000)}
    select ${list(names)}, seconds, tried from walk, lateral (
      select extract(epoch from now() - ${moment})::float8 as seconds from ${table}
      where ${ofTenant} and ${moment} < now() - make_interval(secs => ${afterSeconds}) and (${isFree(table)} or ${table.failures} > 0)
      order by ${moment} limit 1) oldest, lateral (
      select bool_or(is_tried) as tried from (
        select ${table.failures} > 0 or not ${isFree(table)} as is_tried from ${table} where ${ofTenant} order by ${moment} limit ${OLDEST_ROWS}) oldest_rows) tries`);
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
  const { rows } = await db.execute<{ rows: number; oldest: number }>(sql`
    with recursive ${walk(due, undefined, undefined, 1_000_000)}
    select count(*)::float8 as rows, coalesce(extract(epoch from now() - min(since)), 0)::float8 as oldest from (
      select since from walk, lateral (
        select ${moment} as since from ${table} where ${tuple(fairBy.map(blank))} = ${tuple(named("k", fairBy, "walk."))} and ${isDue(due)} and (${isFree(table)} or ${table.failures} > 0)
        order by ${moment} limit ${MAX_COUNTED_OF_TENANT}) of_tenant
      limit ${MAX_COUNTED_DUE}) counted`);
  const [row] = rows;
  if (!row) throw new Error("a count without an answer");
  return row;
}

/** Whether more rows than this are due. */
export async function unscopedIsDueMoreThan(due: Due, rows: number): Promise<boolean> {
  const { table, fairBy } = due;
  const limit = Math.floor(rows) + 1;
  const { rowCount } = await db.execute(sql`
    with recursive ${walk(due, undefined, undefined, 1_000_000)}
    select from walk, lateral (
      select from ${table} where ${tuple(fairBy.map(blank))} = ${tuple(named("k", fairBy, "walk."))} and ${isDue(due)} limit ${limit}) due
    offset ${limit - 1} limit 1`);
  return (rowCount ?? 0) > 0;
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
