import { and, eq, type GetColumnData, ilike, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { FilterOf } from "@/lib/contract/lists";

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

const walking = new Set(["page", "per_page", "cursor", "sort"]);

/** Whether a query asks for all rows, in any order and from any position. */
export const isUnfiltered = (query: object): boolean =>
  Object.entries(query).every(([name, value]) => value === undefined || walking.has(name));

/** Whether a query sets one of these filters. */
export const setsOneOf = <Query extends object>(
  query: Query,
  ...names: FilterOf<Query>[]
): boolean => names.some((name) => query[name] !== undefined);

/** Exactly this value. */
export const is =
  <Column extends PgColumn>(column: Column) =>
  (value: GetColumnData<Column, "raw">): SQL =>
    eq(column, value);

/** The same text in any case. */
export const sameText =
  (column: PgColumn) =>
  (text: string): SQL =>
    sql`lower(${column}) = lower(${text})`;

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

/** A text as a LIKE pattern, in which `%` and `_` stand for themselves. */
export const literal = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

const ID = /^[0-9a-f]{24}$/;

/** What a text search looks at. */
export type Searched = { texts: readonly PgColumn[]; ids: readonly PgColumn[] };

const MAX_BEGINNING_CHARACTERS = 2;
/** Those that words begin with. Scripts without blanks between words are left out: any of their letters may begin one. */
const beginsWord =
  /^(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])[\p{L}\p{N}]/u;
/** The start of a word, as a pattern. Where the database's locale knows no letters but ASCII, the range names most others. */
const WORD_START = "(^|[^[:alnum:]\u00c0-\u1fff])";

/** Whether a column has a text, in any case. One or two characters must begin a word; a sign begins none, and may be anywhere. */
export function holds(column: PgColumn, text: string): SQL | undefined {
  const anywhere = ilike(column, textPattern(text));
  if ([...text].length > MAX_BEGINNING_CHARACTERS || !beginsWord.test(text)) return anywhere;
  const pattern = WORD_START + text.replace(/[\\^$.[\]|()?*+{}]/g, "\\$&");
  return and(anywhere, sql`${column} ~* ${pattern}`);
}

/** One of the texts, as `holds` finds it, or one of the ids. An empty search finds everything. */
export const search =
  ({ texts, ids }: Searched) =>
  (text: string): SQL | undefined =>
    text === "" ? undefined : or(...texts.map((column) => holds(column, text)), ...idIn(ids, text));

/** The pattern of ILIKE for a part of a text. */
export const textPattern = (text: string): string => `%${literal(text)}%`;

/** A condition for each id that a text may be. */
export const idIn = (ids: readonly PgColumn[], text: string): SQL[] => {
  const id = text.toLowerCase();
  return ID.test(id) ? ids.map((column) => eq(column, id)) : [];
};
