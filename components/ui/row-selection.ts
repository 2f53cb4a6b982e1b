"use client";

import { useMemo, useRef, useState } from "react";

/**
 * Rows of a list that are selected. With `upTo` it is every row that the list's filters match, also on other pages, but none that was created
 * after that moment.
 */
export type Selection = {
  ids: readonly string[];
  upTo: string | null;
  has: (id: string) => boolean;
  /** Adds or removes a row; with `range`, also the rows between it and the one before. */
  toggle: (id: string, range?: boolean) => void;
  /** Every row of the page, or none. */
  togglePage: () => void;
  selectAll: (upTo: string) => void;
  clear: () => void;
  rows: readonly string[];
};

type State = { of: string; ids: ReadonlySet<string>; upTo: string | null };
const none: ReadonlySet<string> = new Set();

/** The selection among these rows. `of` names the page and its filters: another page has its own selection. */
export function useSelection(rows: readonly string[], of: string): Selection {
  const [state, setState] = useState<State>({ of, ids: none, upTo: null });
  const last = useRef<string>(undefined);
  return useMemo(() => {
    const { ids, upTo } = state.of === of ? state : { ids: none, upTo: null };
    // Rows that went meanwhile are selected no longer.
    const selected = rows.filter((id) => ids.has(id));
    const put = (next: Iterable<string>, every: string | null = null) =>
      setState({ of, ids: new Set(next), upTo: every });
    return {
      rows,
      ids: selected,
      upTo,
      has: (id) => ids.has(id),
      toggle: (id, range = false) => {
        const on = !ids.has(id);
        const [from, to] = [rows.indexOf(last.current ?? ""), rows.indexOf(id)];
        const touched =
          range && from >= 0 ? rows.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
        last.current = id;
        put(on ? [...selected, ...touched] : selected.filter((one) => !touched.includes(one)));
      },
      togglePage: () => put(selected.length < rows.length ? rows : []),
      selectAll: (moment) => put(rows, moment),
      clear: () => put([]),
    };
  }, [state, rows, of]);
}
