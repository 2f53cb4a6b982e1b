import { heavyRead } from "@/db/heavy-reads";
import { type Sort, sortValue, type Walk } from "@/db/page";
import { replicaRead } from "@/db/replica";
import type { Page } from "@/lib/contract/envelope";
import { furtherOrders, type ListQuery } from "@/lib/contract/lists";
import { env } from "@/lib/env";
import { type FieldErrors, invalid } from "@/lib/kernel/problem";
import { isSignature, signature } from "@/lib/kernel/secrets";
import type { Ctx } from "./context";

type Listed = { id: string } & Parameters<typeof sortValue>[0];
type Source<Row extends Listed, Out> = {
  /** Below `/api`, for the addresses of other pages. */
  path: string;
  /** The query as it came, which page addresses keep. */
  search: URLSearchParams;
  query: ListQuery;
  /** No index serves the query: it may read all rows to find few. */
  readsAll?: boolean;
  fetch: (walk: Walk) => Promise<Row[]>;
  count: () => Promise<number>;
  present: (row: Row) => Out;
};

const defaultPerPage = 15;
/** What a page of the usual size fetches: one row more tells whether there is another page. */
export const USUAL_ROWS = defaultPerPage + 1;
const MARK_LENGTH = 22;

/** Whether a list is read in its turn among the searches of the business. */
export const isHeavy = ({
  query,
  readsAll = false,
}: Pick<Source<never, never>, "query" | "readsAll">) =>
  query.page !== undefined || query.q !== undefined || readsAll;

/** Returns a list by either paginator of the contract. Throws 422 on a `cursor` that is forged, or from another list or order. */
export async function listPage<Row extends Listed, Out>(
  ctx: Ctx,
  source: Source<Row, Out>,
): Promise<Page<Out>> {
  const { page } = source.query;
  if (page !== undefined) return heavyRead(ctx, "search", () => numberedPage(source, page));
  if (isHeavy(source)) return heavyRead(ctx, "search", () => cursorPage(ctx, source));
  return replicaRead(() => cursorPage(ctx, source));
}

const everySort = (["created_at", ...furtherOrders] as const).flatMap((order): Sort[] => [
  order,
  `-${order}`,
]);

function sortOf(query: ListQuery): Sort {
  return (query.sort ?? "-created_at") as Sort;
}

async function cursorPage<Row extends Listed, Out>(
  ctx: Ctx,
  source: Source<Row, Out>,
): Promise<Page<Out>> {
  const perPage = source.query.per_page ?? defaultPerPage;
  const sort = sortOf(source.query);
  const bound = boundOf(ctx, source.path, sort);
  const from =
    source.query.cursor === undefined ? undefined : readCursor(source.query.cursor, bound);
  const back = from?.back ?? false;
  const rows = await source.fetch({
    sort,
    limit: perPage + 1,
    offset: 0,
    back,
    ...(from ? { position: { value: from.value, id: from.id } } : {}),
  });
  const more = rows.length > perPage;
  const shown = more ? rows.slice(0, perPage) : rows;
  if (back) shown.reverse();
  const first = shown[0];
  const last = shown.at(-1);
  const at = (row: Row, towardsStart: boolean) =>
    writeCursor(
      {
        value: sortValue(row, sort),
        id: row.id,
        back: towardsStart,
      },
      bound,
    );
  const next = last && (back || more) ? at(last, false) : null;
  const prev = first && (back ? more : from !== undefined) ? at(first, true) : null;
  const path = `${env.BASE_URL}/api${source.path}`;
  return {
    data: shown.map(source.present),
    path,
    per_page: perPage,
    next_cursor: next,
    next_page_url: next && address(path, source.search, "cursor", next),
    prev_cursor: prev,
    prev_page_url: prev && address(path, source.search, "cursor", prev),
  };
}

async function numberedPage<Row extends Listed, Out>(
  source: Source<Row, Out>,
  current: number,
): Promise<Page<Out>> {
  const perPage = source.query.per_page ?? defaultPerPage;
  const offset = (current - 1) * perPage;
  const total = await source.count();
  const onPage = Math.max(0, Math.min(perPage, total - offset));
  // The second half of a list is reached faster from its end.
  const back = offset > total / 2;
  const walk = {
    sort: sortOf(source.query),
    limit: onPage,
    offset: back ? total - offset - onPage : offset,
    back,
  };
  const rows = onPage === 0 ? [] : await source.fetch(walk);
  if (back) rows.reverse();
  const last = Math.max(1, Math.ceil(total / perPage));
  const path = `${env.BASE_URL}/api${source.path}`;
  const page = (number: number) => address(path, source.search, "page", String(number));
  return {
    current_page: current,
    data: rows.map(source.present),
    first_page_url: page(1),
    from: rows.length > 0 ? offset + 1 : null,
    last_page: last,
    last_page_url: page(last),
    next_page_url: current < last ? page(current + 1) : null,
    path,
    per_page: perPage,
    prev_page_url: current > 1 ? page(current - 1) : null,
    to: rows.length > 0 ? offset + rows.length : null,
    total,
  };
}

function address(path: string, search: URLSearchParams, name: string, value: string): string {
  const kept = new URLSearchParams(search);
  kept.delete("cursor");
  kept.set(name, value);
  return `${path}?${kept}`;
}

/** What a cursor is signed for. */
const boundOf = (ctx: Ctx, path: string, sort: string) =>
  `${ctx.businessId}:${ctx.mode}:${path}:${sort}`;

const refusedCursor = { cursor: ["The selected cursor is invalid."] };

/** The error for the cursor when another field is invalid. If `sort` is the invalid field, a cursor of any order passes. */
export function cursorObjections(
  ctx: Ctx,
  path: string,
  query: Partial<ListQuery>,
  errors: FieldErrors,
): FieldErrors {
  const { cursor, page } = query;
  if (cursor === undefined || page !== undefined || "page" in errors) return {};
  const meant = "sort" in errors ? everySort : [sortOf(query)];
  return meant.some((sort) => isSigned(cursor, boundOf(ctx, path, sort))) ? {} : refusedCursor;
}

type Cursor = { value: string | number; id: string; back: boolean };

function writeCursor(cursor: Cursor, bound: string): string {
  const body = Buffer.from(JSON.stringify([cursor.value, cursor.id, cursor.back ? 1 : 0])).toString(
    "base64url",
  );
  return `${body}.${signature(`${bound}:${body}`, "cursor").slice(0, MARK_LENGTH)}`;
}

function isSigned(text: string, bound: string): boolean {
  const [body = "", mark = ""] = text.split(".");
  return isSignature(mark, `${bound}:${body}`, "cursor", MARK_LENGTH);
}

function readCursor(text: string, bound: string): Cursor {
  if (!isSigned(text, bound)) throw invalid(refusedCursor);
  const [body = ""] = text.split(".");
  const [value, id, back] = JSON.parse(Buffer.from(body, "base64url").toString()) as [
    string | number,
    string,
    number,
  ];
  return { value, id, back: back === 1 };
}
