import { getTableColumns, getTableName, is, SQL, sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  check,
  customType,
  integer,
  type PgColumn,
  type PgTable,
  text,
} from "drizzle-orm/pg-core";
import { type ActorKind, modes } from "../lib/contract/values";
import { isoMicros } from "../lib/kernel/clock";

const isoTimestamp = customType<{ data: string; driverData: string }>({
  dataType: () => "timestamp (6) with time zone",
  fromDriver: isoMicros,
});

/** A moment: timestamptz(6), read and written as `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
export const at = (name: string) => isoTimestamp(name);

/** created_at and updated_at by the database's clock. */
export const stamps = () => ({
  createdAt: at("created_at").notNull().default(sql`now()`),
  updatedAt: at("updated_at").notNull().default(sql`now()`),
});

// One object, by which `changeRows` sees that rows are given the same moment.
const databaseMoment = sql`now()`;

/** The database's own moment, for columns. */
export const nowSql = databaseMoment as never;

/**
 * The moment at which an update writes this column, never before what it holds: later than `nowSql` where the transaction waited for the row. An install
 * on several servers takes it in this form alone.
 */
export const statementNow = (column: PgColumn) =>
  sql`greatest(${column}, (select clock_timestamp()))` as never;

/** A moment in so many seconds by the database's clock, for columns; null without any. */
export const inSeconds = (seconds: number | null) =>
  seconds === null ? null : (sql`now() + make_interval(secs => ${seconds})` as never);

/** The moment a call counts as: of the test clock it runs under, else the database's. */
export const nowOf = (who: { readonly now?: string | undefined }) =>
  (who.now === undefined ? databaseMoment : sql`${who.now}::timestamptz`) as never;

/** The business id of what belongs to the install itself: account mails, and invitations to create a business. */
export const NO_BUSINESS = 0;

/** Who did it: an API key, a person, the payer, the gateway, or the clock. */
export type Actor = {
  kind: ActorKind;
  id?: string;
};

/** The owner of a record: every tenant table begins with these two. */
export const owner = () => ({
  businessId: integer("business_id").notNull(),
  mode: text("mode", { enum: modes }).notNull(),
});

/** Who works on a due row, and until when; `lib/jobs` claims and releases it. */
export const claims = () => ({
  /** The worker; null when a claim depends on its lease alone. */
  leasedBy: text("leased_by"),
  leasedUntil: at("leased_until"),
  /** Goes up with every claim: a worker that lost its claim finds another number. */
  fence: bigint("fence", { mode: "number" }).notNull().default(0),
  /** Failed tries in a row; the pause before the next try grows with them. */
  failures: integer("failures").notNull().default(0),
});

/** The columns of a row that workers claim. */
export type ClaimColumn = keyof ReturnType<typeof claims>;

/** The columns that every record of a business has. */
export type CommonColumn = keyof ReturnType<typeof owner> | "id" | keyof ReturnType<typeof stamps>;

/** 8 bytes that PostgreSQL gives every transaction; compared to tell which rows may still be joined by a late commit. */
export const xid8 = customType<{ data: string; driverData: string }>({ dataType: () => "xid8" });

/** Which transactions were over at a moment; compared to tell what happened after it from what a late commit only made seen. */
export const snapshot = customType<{ data: string; driverData: string }>({
  dataType: () => "pg_snapshot",
});

/** Bytes as they are. */
export const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/** SQL for a moment as the API writes it. */
export const isoSql = (moment: ReturnType<typeof sql>) =>
  sql<string>`to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/**
 * An array that a prepared statement is given under this name. The subselect hides its length from the planner: the plan for
 * one known length looks cheaper than a plan for any, and Postgres would plan anew at each call.
 */
export const givenArray = (name: string, type: "integer" | "text") =>
  sql`(select ${sql.placeholder(name)}::${sql.raw(type)}[])::${sql.raw(type)}[]`;

/** The rows of a table that a prepared statement is given as JSON under this name; see `jsonOf`. */
export const givenRows = (table: PgTable, name: string) =>
  sql`json_populate_recordset(null::${table}, ${sql.placeholder(name)}::json)`;

type Values = Readonly<Record<string, unknown>>;

/** Rows of a table as the JSON that `givenRows` reads: by column, as drivers send them. What is null is left out. */
export const jsonOf = (table: PgTable, rows: readonly Values[]): string =>
  JSON.stringify(rows.map((row) => byColumn(table, row)));

/** The same for a part of a row. */
export function byColumn(table: PgTable, row: Values): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const [key, { name }] of Object.entries(getTableColumns(table))) {
    const value = row[key];
    // Half of a character, where a text was cut: Postgres refuses the whole JSON for it.
    if (typeof value === "string") given[name] = value.toWellFormed();
    else if (value !== null && value !== undefined) given[name] = value;
  }
  return given;
}

/** Every column of a table in order, some by another expression: for rows that are selected into it. */
export const columnsOf = (table: PgTable, instead: Readonly<Record<string, SQL>> = {}) =>
  sql.join(
    Object.entries(getTableColumns(table)).map(
      ([key, column]) => instead[key] ?? sql`${sql.identifier(column.name)}`,
    ),
    sql`, `,
  );

/**
 * The `select` of an insert: these rows, with defaults for what they leave out. It has one parameter however many rows there are. `instead`:
 * expressions that hold for every row, which may name columns.
 */
export function newRows(
  table: PgTable,
  rows: readonly Values[],
  instead: Readonly<Record<string, SQL>> = {},
): SQL {
  const defaults = Object.entries(getTableColumns(table)).flatMap(([key, column]) =>
    column.hasDefault && !instead[key]
      ? [[key, sql`coalesce(${sql.identifier(column.name)}, ${defaultOf(column)})`]]
      : [],
  );
  const columns = columnsOf(table, { ...Object.fromEntries(defaults), ...instead });
  return sql`select ${columns} from json_populate_recordset(null::${table}, ${jsonOf(table, rows)}::json)`;
}

function defaultOf({ name, default: value }: AnyPgColumn): SQL {
  if (is(value, SQL)) return value;
  if (typeof value === "number" || typeof value === "boolean") return sql.raw(String(value));
  if (typeof value === "string") return sql.raw(`'${value.replaceAll("'", "''")}'`);
  throw new Error(`say what ${name} is in a new row`);
}

/** A CHECK for each column that has a fixed list of values, made from that list. */
export function enumChecks({ businessId: { table } }: { businessId: PgColumn }) {
  return Object.values(getTableColumns(table)).flatMap((column) => {
    const { enumValues = [], name } = column;
    if (enumValues.length === 0) return [];
    const values = sql.raw(enumValues.map((value) => `'${value}'`).join(", "));
    return [check(`${getTableName(table)}_${name}_known`, sql`${column} in (${values})`)];
  });
}
