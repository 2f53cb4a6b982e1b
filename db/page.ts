import { asc, desc, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

/** One step of a walk through a list: by position (`after`) or by page number (`offset`). */
export type Walk = {
  sort: "created_at" | "-created_at" | "amount" | "-amount";
  limit: number;
  offset: number;
  /** The row stood on: its sort value and id. */
  position?: { value: string | number; id: string };
  /** True when walking towards the beginning; rows then come in reverse. */
  back: boolean;
};

type Listed = { id: PgColumn; createdAt: PgColumn; amount?: PgColumn };

type Given<T> = T | Placeholder;
/** A walk of which sort and direction are known and the rest may come later, with a prepared statement. */
type Way = Pick<Walk, "sort" | "back"> & {
  limit: Given<number>;
  offset: Given<number>;
  position?: { value: Given<string | number>; id: Given<string> };
};

/** The condition and order of a keyset walk: `(sort column, id)`, so that rows existing throughout appear exactly once. */
export function keyset(
  table: Listed,
  walk: Way,
): { where: SQL | undefined; orderBy: SQL[]; limit: Given<number>; offset: Given<number> } {
  const byAmount = walk.sort.endsWith("amount") && table.amount !== undefined;
  const column = byAmount ? (table.amount as PgColumn) : table.createdAt;
  const descending = walk.sort.startsWith("-") !== walk.back;
  const direction = descending ? desc : asc;
  const { position } = walk;
  const value =
    position && (byAmount ? sql`${position.value}::integer` : sql`${position.value}::timestamptz`);
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
