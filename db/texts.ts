import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

/**
 * The searched texts of a row as one, which the search index holds. Queries and the index use this same expression. It is the first column
 * of the index: Postgres then reads the long lists of a business and a mode only where a text was found.
 */
export const textsOf = (columns: readonly Pick<PgColumn, "notNull">[]): SQL =>
  sql.join(
    columns.map((column) => (column.notNull ? sql`${column}` : sql`coalesce(${column}, '')`)),
    sql` || E'\\n' || `,
  );

/** New rows wait in a list that each search reads whole: a full one costs a search up to 2 ms, a shorter one costs each insert more. In kB. */
export const searchIndex = { gin_pending_list_limit: 1024 };
