import { and, asc, desc, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { furtherOrders } from "@/lib/contract/lists";

type Order = "created_at" | (typeof furtherOrders)[number];
export type Sort = Order | `-${Order}`;

/** One step of a walk through a list: by position (`after`) or by page number (`offset`). */
export type Walk = {
  sort: Sort;
  limit: number;
  offset: number;
  /** The row stood on: its sort value and id. */
  position?: { value: string | number; id: string };
  /** True when walking towards the beginning; rows then come in reverse. */
  back: boolean;
};

/** A table with rows that a walk lists. */
export type Listed = {
  id: PgColumn;
  createdAt: PgColumn;
  succeededAt?: PgColumn;
  amount?: PgColumn;
  email?: PgColumn;
  name?: PgColumn;
};

/** The value by which a row is sorted; a text is given as it is stored. */
export function sortValue(
  row: {
    createdAt: string;
    succeededAt?: string | null;
    amount?: number;
    email?: string | null;
    name?: string | null;
  },
  sort: Sort,
): string | number {
  return row[fieldOf(sort)] ?? "";
}

const orderOf = (sort: Sort) => sort.replace(/^-/, "") as Order;

const moments = { created_at: "createdAt", succeeded_at: "succeededAt" } as const;

function fieldOf(sort: Sort) {
  const order = orderOf(sort);
  return order === "created_at" || order === "succeeded_at" ? moments[order] : order;
}

/** The columns of an order as SQL, and a position in it. Texts are compared without case, as their indexes have them. */
function orderedBy(table: Listed, sort: Sort): { column: SQL; at: (value: unknown) => SQL } {
  const order = orderOf(sort);
  const column = table[fieldOf(sort)];
  if (!column) throw new Error(`a list is not sorted by ${sort}`);
  if (order === "email" || order === "name")
    return { column: sql`lower(${column})`, at: (value) => sql`lower(${value}::text)` };
  const type = sql.raw(order === "amount" ? "integer" : "timestamptz");
  return { column: sql`${column}`, at: (value) => sql`${value}::${type}` };
}

type Given<T> = T | Placeholder;
/** A walk of which sort and direction are known and the rest may come later, with a prepared statement. */
type Way = Pick<Walk, "sort" | "back"> & {
  limit: Given<number>;
  offset: Given<number>;
  position?: { value: Given<string | number>; id: Given<string> };
};

type Part = {
  where: SQL | undefined;
  orderBy: SQL[];
  limit: Given<number>;
  offset: Given<number>;
};

/** Reads rows from a table, or from a part of it under the table's name. */
export type ReadPart<Row, Table extends PgTable> = (
  from: Table | SQL,
  part: Part,
) => Promise<Row[]>;

/** Columns as fields of a query that reads a part of their table under its name. */
export const fieldsOf = <Columns extends Record<string, PgColumn>>(columns: Columns): Columns =>
  Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, sql`${column}`.mapWith(column)]),
  ) as never;

/**
 * Rows that a condition finds by its own index and that are sorted afterwards. `offset 0` keeps the order out of this part: else Postgres
 * may walk the whole list in that order for a few rows.
 */
export const sortedApart = (table: PgTable, where: SQL | undefined): SQL =>
  sql`(select * from ${table} where ${where} offset 0) ${table}`;

/** From here on ids are counted off in the index, and the rows of the page are read by id. */
const FAR_ROWS = 200;

/** Reads a page: one far from the beginning by the ids that the index of its order holds. */
export function readPage<Row, Table extends PgTable & Listed>(
  table: Table,
  where: SQL | undefined,
  walk: Walk,
  read: ReadPart<Row, Table>,
): Promise<Row[]> {
  const { where: position, orderBy, limit, offset } = keyset(table, walk);
  const all = and(where, position);
  if (walk.offset < FAR_ROWS) return read(table, { where: all, orderBy, limit, offset });
  const ids = sql`select ${table.id} from ${table} where ${all} order by ${sql.join(orderBy, sql`, `)} limit ${limit} offset ${offset}`;
  return read(table, {
    where: and(where, sql`${table.id} in (${ids})`),
    orderBy,
    limit,
    offset: 0,
  });
}

/** The condition and order of a keyset walk: `(sort column, id)`, so that rows existing throughout appear exactly once. */
export function keyset(table: Listed, walk: Way): Part {
  const { column, at } = orderedBy(table, walk.sort);
  const descending = walk.sort.startsWith("-") !== walk.back;
  const direction = descending ? desc : asc;
  const { position } = walk;
  const value = position && at(position.value);
  const where =
    position &&
    (descending
      ? sql`(${column}, ${table.id}) < (${value}, ${position.id})`
      : sql`(${column}, ${table.id}) > (${value}, ${position.id})`);
  return {
    where,
    orderBy: [direction(column), direction(table.id)],
    limit: walk.limit,
    offset: walk.offset,
  };
}
