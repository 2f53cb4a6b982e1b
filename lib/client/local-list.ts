"use client";

import { useMemo, useState } from "react";
import { newestFirst, pageSizes } from "./list-query";
import type { ListState } from "./list-state";

/** A list's page and sort kept in the page alone, for a second list on a page, besides the one in the address. */
export function useLocalList(): ListState<never> {
  const [page, setPage] = useState(1);
  const [perPage, setPerPage] = useState<number>(pageSizes[0]);
  const [sort, setSort] = useState<string>(newestFirst);
  return useMemo(() => {
    const first =
      <T>(set: (value: T) => void) =>
      (value: T) => {
        set(value);
        setPage(1);
      };
    return {
      query: { page, per_page: perPage, sort },
      values: {},
      filters: {},
      set: () => undefined,
      clear: () => undefined,
      reset: () => undefined,
      filtered: false,
      filterCount: 0,
      page,
      setPage,
      perPage,
      setPerPage: first(setPerPage),
      sort,
      ownSort: newestFirst,
      setSort: first(setSort),
      columns: [],
      setColumns: () => undefined,
      show: () => undefined,
    };
  }, [page, perPage, sort]);
}
