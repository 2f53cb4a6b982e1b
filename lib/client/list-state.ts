"use client";

import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { momentOfDay } from "./ranges";

export const pageSizes = [15, 30, 50, 100] as const;

export type ListState<F extends string> = {
  /** For `useEndpoint(endpoint, { query: list.query })`: filters, sort, page. */
  query: { page: number; per_page: number; sort?: string } & { [K in F]?: string };
  /** The filters as the address has them. */
  values: { [K in F]: string };
  /** The filters as the API takes them: days are moments of the viewer's zone. */
  filters: { [K in F]: string };
  /** Sets filters and goes back to page 1; "" or null takes one out. One step of the browser's Back. */
  set: (values: { [K in F]?: string | null }) => void;
  clear: () => void;
  /** True while any filter is set. */
  filtered: boolean;
  page: number;
  setPage: (page: number) => void;
  perPage: number;
  setPerPage: (size: number) => void;
  sort: string;
  setSort: (sort: string) => void;
};

const paging = { sort: parseAsString, page: parseAsInteger, per_page: parseAsInteger };
const newestFirst = "-created_at";

const bounds = <F extends string>(names: readonly F[]) =>
  names.filter((name) => name === "created_from" || name === "created_to");
const listed = (names: string) => names.split(" ").filter(Boolean);

/** Filters, sort and page of a list, kept in the address: reload, Back and sharing it give the same rows. */
export function useListState<const F extends string>(filters: readonly F[]): ListState<F> {
  const names = filters.join(" ");
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
        bounds(own).map((name) => [name, momentOfDay(values[name], name === "created_to")]),
      ),
    };
    const page = Math.max(1, Number(read.page ?? 1));
    const perPage = pageSizes.find((size) => size === read.per_page) ?? pageSizes[0];
    const sort = String(read.sort ?? newestFirst);
    const write = (change: Record<string, string | number | null>) =>
      void setState(change as never);
    return {
      query: { ...filters, page, per_page: perPage, sort: sort === newestFirst ? undefined : sort },
      values,
      filters,
      set: (change) =>
        write({
          ...Object.fromEntries(
            Object.entries(change).map(([name, value]) => [name, (value as string) || null]),
          ),
          page: null,
        }),
      clear: () => write({ ...Object.fromEntries(own.map((name) => [name, null])), page: null }),
      filtered: own.some((name) => values[name] !== ""),
      page,
      setPage: (next) => write({ page: next === 1 ? null : next }),
      perPage,
      setPerPage: (size) => write({ per_page: size === pageSizes[0] ? null : size, page: null }),
      sort,
      setSort: (next) => write({ sort: next === newestFirst ? null : next, page: null }),
    } satisfies ListState<F>;
  }, [state, setState, names]);
}
