import { and, ilike, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { db } from "./client";
import { idIn, type Searched, textPattern } from "./filters";
import { keyset, type Listed, type ReadPart, sortedApart, type Walk } from "./page";
import { textsOf } from "./texts";

/** So many rows of the list are searched one by one before the search index is used: frequent texts are found there. */
const NEAR_ROWS = 500;
/** More rows than this are not fetched and sorted: the list is walked instead. */
const MAX_SORTED_ROWS = 150_000;
/** Only letters and digits in a row make the trigrams of the index. */
const INDEXED = /[a-z0-9]{3}/i;
const TRIGRAM_LENGTH = 3;
const MAX_TRIGRAMS = 30;
const PIECE_LENGTH = 4;
const MAX_PIECES = 12;
const SAMPLE_ROWS = 100;

/** Whether the search index can find this text. */
export const isIndexed = (text: string | undefined): text is string =>
  text !== undefined && INDEXED.test(text);

/** The condition that the search index of a table serves. It finds a few rows more than the filter `q`: both are needed. */
export const indexedText = ({ texts, ids }: Searched, text: string): SQL | undefined =>
  or(ilike(textsOf(texts), textPattern(text)), ...idIn(ids, text));

type Search<Row, Table extends PgTable> = Searched & {
  table: Table & Listed;
  text: string;
  /** The business, the mode and what else every row of the list has. */
  scope: SQL;
  /** All filters of the query, `q` among them. */
  matches: SQL | undefined;
  walk: Walk;
  read: ReadPart<Row, Table>;
};

/**
 * One step of a walk through the rows that hold a text. Neither a text that many rows hold nor one that few hold reads the whole list,
 * and rows of other businesses are never read.
 */
export async function walkText<Row, Table extends PgTable>(
  search: Search<Row, Table>,
): Promise<Row[]> {
  const { table, text, scope, matches, walk, read } = search;
  const { where: position, orderBy, limit, offset } = keyset(table, walk);
  const near = (rows: number) =>
    sql`(select * from ${table} where ${and(scope, position)} order by ${sql.join(orderBy, sql`, `)} limit ${rows}) ${table}`;
  const rows = await read(near(NEAR_ROWS), { where: matches, orderBy, limit, offset });
  if (rows.length === walk.limit) return rows;
  const all = and(scope, matches);
  if ((await expectedRows(table, all)) > MAX_SORTED_ROWS)
    return read(table, { where: and(all, position), orderBy, limit, offset });
  const piece = (await rarePiece(search.texts, near(SAMPLE_ROWS), text)) ?? text;
  const found = and(all, indexedText({ ...search, ids: piece === text ? search.ids : [] }, piece));
  return read(sortedApart(table, found), { where: position, orderBy, limit, offset });
}

/** How many rows Postgres expects, by its statistics; nothing is read. */
async function expectedRows(table: PgTable, where: SQL | undefined): Promise<number> {
  const { rows } = await db.execute<{ "QUERY PLAN": [{ Plan: { "Plan Rows": number } }] }>(
    sql`explain (format json) select from ${table} where ${where}`,
  );
  return rows[0]?.["QUERY PLAN"][0].Plan["Plan Rows"] ?? 0;
}

/**
 * A piece of a long text that few rows hold, as far as a sample shows. The index intersects the lists of all trigrams, and those of frequent
 * ones are long. Undefined where the whole text is as good.
 */
async function rarePiece(
  texts: readonly PgColumn[],
  sample: SQL,
  text: string,
): Promise<string | undefined> {
  const trigrams = partsOf(text, TRIGRAM_LENGTH).slice(0, MAX_TRIGRAMS);
  const pieces = piecesOf(text);
  if (pieces.length < 2) return undefined;
  const { rows } = await db.execute<{ piece: string }>(sql`
    with sample as materialized (select lower(${textsOf(texts)}) as texts from ${sample})
    select piece from unnest(${sql.param([...new Set([...trigrams, ...pieces])])}::text[]) piece
    where not exists (select 1 from sample where strpos(texts, lower(piece)) > 0)`);
  const rare = new Set(rows.map(({ piece }) => piece));
  return longestRun(trigrams, rare) ?? pieces.find((piece) => rare.has(piece));
}

/** The longest part of a text of which each trigram is rare. */
function longestRun(trigrams: readonly string[], rare: ReadonlySet<string>): string | undefined {
  let [run, longest] = ["", ""];
  for (const trigram of trigrams) {
    if (!rare.has(trigram) || !isIndexed(trigram)) run = "";
    else run = run === "" ? trigram : run + trigram.slice(-1);
    if (run.length > longest.length) longest = run;
  }
  return longest || undefined;
}

/** Every part of this length, in whole characters. */
const partsOf = (text: string, length: number): string[] => {
  const characters = Array.from(text);
  return Array.from({ length: Math.max(0, characters.length - length + 1) }, (_, at) =>
    characters.slice(at, at + length).join(""),
  );
};

/** Those with the most digits come first: numbers tell records apart. An id is not cut, since it is compared with ids too. */
function piecesOf(text: string): string[] {
  if (/^[0-9a-f]{24}$/i.test(text)) return [];
  const digits = (piece: string) => piece.replaceAll(/\D/g, "").length;
  return partsOf(text, PIECE_LENGTH)
    .filter(isIndexed)
    .sort((a, b) => digits(b) - digits(a))
    .slice(0, MAX_PIECES);
}
