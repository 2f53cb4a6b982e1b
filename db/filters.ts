import { ilike, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

type Walking = "page" | "per_page" | "cursor" | "sort";

/** The names of a list's filters. */
export type FilterOf<Query> = Exclude<keyof Query, Walking> & string;

/** The condition of each filter of a list. A filter without one is a compile error. */
export type Filters<Query> = {
  [Name in FilterOf<Query>]-?: (value: NonNullable<Query[Name]>) => SQL | undefined;
};

/** The conditions of the filters that a query sets. */
export function filtered<Query extends object>(
  filters: Filters<Query>,
  query: Query,
): (SQL | undefined)[] {
  return (Object.keys(filters) as FilterOf<Query>[]).map((name) => {
    const value = query[name];
    return value === undefined || value === null
      ? undefined
      : filters[name](value as NonNullable<Query[typeof name]>);
  });
}

/** Both bounds are inclusive. */
export const createdFilters = (createdAt: PgColumn) => ({
  created_from: (from: string) => sql`${createdAt} >= ${from}::timestamptz`,
  created_to: (to: string) => sql`${createdAt} <= ${to}::timestamptz`,
});

/** Both bounds are inclusive, in minor units. */
export const amountFilters = (amount: PgColumn) => ({
  amount_min: (least: number) => sql`${amount} >= ${least}`,
  amount_max: (most: number) => sql`${amount} <= ${most}`,
});

/** Whether a column contains a text, in any case; `%` and `_` stand for themselves. */
export const contains = (column: PgColumn, text: string): SQL =>
  ilike(column, `%${text.replace(/[\\%_]/g, "\\$&")}%`);
