"use client";

import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { isBound, type ListQuery, listQuery, newestFirst, pageSizes } from "./list-query";
import { momentOfDay } from "./ranges";
import { useZone } from "./use-zone";

export type ListState<F extends string> = {
  /** For `useEndpoint(endpoint, { query: list.query })`: filters, sort, page. */
  query: ListQuery<F>;
  /** The filters as the address has them. */
  values: { [K in F]: string };
  /** The filters as the API takes them: days are moments of the business's zone. */
  filters: { [K in F]: string };
  /** Sets filters and goes back to page 1; "" or null takes one out. One step of the browser's Back. */
  set: (values: { [K in F]?: string | null }) => void;
  clear: () => void;
  /** Takes out the order too: whatever a refusal was about. */
  reset: () => void;
  /** True while any filter is set. */
  filtered: boolean;
  /** How many are set besides the search; the two ends of a range are one. */
  filterCount: number;
  page: number;
  setPage: (page: number) => void;
  perPage: number;
  setPerPage: (size: number) => void;
  sort: string;
  /** The order of a list where its address names none. */
  ownSort: string;
  setSort: (sort: string) => void;
  /** Ids of the columns that are shown; none for the list's own. */
  columns: readonly string[];
  setColumns: (ids: readonly string[]) => void;
  /** Sets all filters, the order and the columns; what is not given is taken out. One step of the browser's Back. */
  show: (view: {
    filters: Readonly<Record<string, string>>;
    sort: string | null;
    columns: readonly string[] | null;
  }) => void;
};

const paging = {
  columns: parseAsString,
  sort: parseAsString,
  page: parseAsInteger,
  per_page: parseAsInteger,
};

const listed = (names: string) => names.split(" ").filter(Boolean);

/** Filters, sort and page of a list, kept in the address: reload, Back and sharing it give the same rows. */
export function useListState<const F extends string>(
  filters: readonly F[],
  ownSort: string = newestFirst,
): ListState<F> {
  const names = filters.join(" ");
  const zone = useZone();
  const parsers = useMemo(
    () => ({
      ...Object.fromEntries(listed(names).map((name) => [name, parseAsString])),
      ...paging,
    }),
    [names],
  );
  const [state, setState] = useQueryStates(parsers, {
    history: "push",
    scroll: false,
    shallow: true,
  });
  return useMemo(() => {
    const read = state as Record<string, string | number | null>;
    const own = listed(names) as F[];
    const values = Object.fromEntries(own.map((name) => [name, String(read[name] ?? "")])) as {
      [K in F]: string;
    };
    const filters = {
      ...values,
      ...Object.fromEntries(
        own
          .filter(isBound)
          .map((name) => [name, momentOfDay(values[name], name.endsWith("_to"), zone)]),
      ),
    };
    const query = listQuery(filters, read, ownSort);
    const { page, per_page: perPage } = query;
    const columns = String(read.columns ?? "")
      .split(",")
      .filter(Boolean);
    const joined = (ids: readonly string[] | null) => ids?.join(",") || null;
    const write = (change: Record<string, string | number | null>) =>
      void setState(change as never);
    const none = { ...Object.fromEntries(own.map((name) => [name, null])), page: null };
    return {
      query,
      values,
      filters,
      set: (change) =>
        write({
          ...Object.fromEntries(
            Object.entries(change).map(([name, value]) => [name, (value as string) || null]),
          ),
          page: null,
        }),
      clear: () => write(none),
      reset: () => write({ ...none, sort: null }),
      filtered: own.some((name) => values[name] !== ""),
      filterCount: new Set(
        own
          .filter((name) => name !== "q" && values[name] !== "")
          .map((name) => name.replace(/_(from|to|min|max)$/, "")),
      ).size,
      page,
      setPage: (next) => write({ page: next === 1 ? null : next }),
      perPage,
      setPerPage: (size) => write({ per_page: size === pageSizes[0] ? null : size, page: null }),
      sort: query.sort ?? newestFirst,
      ownSort,
      setSort: (next) => write({ sort: next === ownSort ? null : next, page: null }),
      columns,
      setColumns: (ids) => write({ columns: joined(ids) }),
      show: (view) =>
        write({
          ...Object.fromEntries(own.map((name) => [name, view.filters[name] || null])),
          sort: view.sort === ownSort ? null : view.sort,
          columns: joined(view.columns),
          page: null,
        }),
    } satisfies ListState<F>;
  }, [state, setState, names, zone, ownSort]);
}

/** True if there is no record at all: an answer to this very question, without filters, from the first page. */
export const nothingYet = (
  list: Pick<ListState<string>, "filtered" | "page">,
  answer: { data?: { data: readonly unknown[] } | undefined; isPlaceholderData: boolean },
): boolean =>
  answer.data?.data.length === 0 && !answer.isPlaceholderData && !list.filtered && list.page === 1;
