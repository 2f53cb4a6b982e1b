"use client";

import { type ColumnDef, type Header, type SortingState, useTable } from "@tanstack/react-table";
import { ArrowDown, ArrowUp, ArrowUpDown } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import type { Page } from "@/lib/contract/envelope";
import type { ListState } from "@/lib/client/list-state";
import { useMedia } from "@/lib/client/use-media";
import { useZone } from "@/lib/client/use-zone";
import { Card } from "./card";
import { cx } from "./cx";
import { ErrorState } from "./error-state";
import { Pagination } from "./pagination";
import { PageCheckbox, RowCheckbox } from "./row-checkbox";
import type { Selection } from "./row-selection";
import { RowCard, SortSelect } from "./table-cards";
import {
  type Columns,
  features,
  type Features,
  isLead,
  isShown,
  meta,
  type RowData,
} from "./table-columns";
import { Lead, openRows } from "./table-lead";
import { ListZone } from "./time";
import { NoResults, PastTheEnd, TableSkeleton } from "./table-states";
import { useRowKeys } from "./use-row-keys";

type DataTableProps<R extends RowData> = {
  /** What the rows are: "Payment links". */
  label: string;
  columns: Columns<R>;
  /** The result of `useEndpoint` on a list endpoint. */
  answer: {
    data?: Page<R>;
    error: unknown;
    isPending: boolean;
    isPlaceholderData?: boolean;
    refetch: () => unknown;
  };
  list: Pick<
    ListState<string>,
    | "page"
    | "setPage"
    | "perPage"
    | "setPerPage"
    | "sort"
    | "setSort"
    | "columns"
    | "filtered"
    | "clear"
    | "reset"
  >;
  /** Shown where there is nothing at all; with filters set, "No results" is shown instead. */
  empty: ReactNode;
  /** Where a row leads; its title cell becomes the link. */
  href?: (row: R) => string;
  /** The menu of a row, and nothing but a `RowMenu`. */
  actions?: (row: R) => ReactNode;
  /** Lets rows be selected; `name` says which one a checkbox is for. */
  select?: { selection: Selection; name: (row: R) => string };
  /** Where else to look when the filters match no row. */
  noResults?: string;
  /** What all rows come to. */
  sums?: ReactNode;
};

/** Rows of a list endpoint: a table, or cards where it would be cut off, with every state they can be in. */
export function DataTable<R extends RowData>({
  label,
  columns,
  answer,
  list,
  empty,
  href,
  actions,
  select,
  noResults,
  sums,
}: DataTableProps<R>) {
  const zone = useZone();
  useRowKeys(select?.selection);
  const narrow = useMedia("(width < 80rem)");
  const rows = useMemo(() => answer.data?.data ?? [], [answer.data]);
  const shown = useMemo(
    () => columns.filter((column) => isShown(column, list.columns)),
    [columns, list.columns],
  );
  const sorting = useMemo<SortingState>(
    () => [{ id: list.sort.replace(/^-/, ""), desc: list.sort.startsWith("-") }],
    [list.sort],
  );
  const table = useTable({
    features,
    columns: shown as ColumnDef<Features, R>[],
    data: rows,
    getRowId: (row) => String(row._id),
    manualSorting: true,
    enableSortingRemoval: false,
    defaultColumn: { enableSorting: false },
    state: { sorting },
    onSortingChange: (change) => {
      const [first] = typeof change === "function" ? change(sorting) : change;
      if (first) list.setSort(`${first.desc ? "-" : ""}${first.id}`);
    },
  });

  if (answer.isPending) return <TableSkeleton label={label} />;
  if (answer.error && !answer.data)
    return (
      <ErrorState error={answer.error} retry={() => void answer.refetch()} clear={list.reset} />
    );
  if (rows.length === 0) {
    const some = answer.data && "total" in answer.data ? answer.data.total > 0 : !list.filtered;
    if (list.page > 1 && some) return <PastTheEnd back={() => list.setPage(1)} />;
    return list.filtered ? <NoResults clear={list.clear} zone={zone} hint={noResults} /> : empty;
  }

  const found = table.getRowModel().rows;
  const tick = (row: R) =>
    select ? (
      <RowCheckbox
        id={String(row._id)}
        label={`Select ${select.name(row)}`}
        selection={select.selection}
      />
    ) : null;
  const busy = answer.isPlaceholderData ? "opacity-60 transition-opacity" : "transition-opacity";
  return (
    <ListZone value={zone}>
      <div ref={openRows} aria-busy={answer.isPlaceholderData || undefined}>
        {/* The server draws both, and the style sheet shows the one that fits. */}
        {narrow === false ? null : (
          <div className="xl:hidden">
            <SortSelect
              label={label}
              ids={table
                .getAllLeafColumns()
                .flatMap((column) => (column.getCanSort() ? [column.id] : []))}
              list={list}
            />
            <ul aria-label={label} className={cx("grid gap-2.5 md:grid-cols-2", busy)}>
              {found.map((row) => (
                <RowCard
                  key={row.id}
                  row={row}
                  render={(cell) => <table.FlexRender cell={cell} />}
                  href={href}
                  actions={actions}
                  tick={select ? tick(row.original) : null}
                />
              ))}
            </ul>
          </div>
        )}
        {narrow ? null : (
          <Card flush className="overflow-x-auto max-xl:hidden">
            <table className={cx("w-full border-collapse", busy)}>
              <caption className="sr-only">{label}</caption>
              <thead>
                {table.getHeaderGroups().map((group) => (
                  <tr key={group.id} className="border-b border-line text-fine text-muted">
                    {select ? (
                      <th scope="col" className="w-10 pl-2">
                        <PageCheckbox
                          label={`Select all ${label.toLowerCase()} on this page`}
                          selection={select.selection}
                        />
                      </th>
                    ) : null}
                    {group.headers.map((header) => (
                      <HeaderCell key={header.id} header={header}>
                        <table.FlexRender header={header} />
                      </HeaderCell>
                    ))}
                    {actions ? (
                      // In reach also where more columns are chosen than fit.
                      <th scope="col" className="sticky right-0 w-12 bg-surface">
                        <span className="sr-only">Actions</span>
                      </th>
                    ) : null}
                  </tr>
                ))}
              </thead>
              <tbody>
                {found.map((row) => (
                  <tr
                    key={row.id}
                    data-row={href ? row.id : undefined}
                    className={cx(
                      "group border-b border-line last:border-0",
                      href && "cursor-pointer",
                      select?.selection.has(row.id) ? "bg-chosen" : "bg-surface hover:bg-sunken",
                    )}
                  >
                    {select ? <td className="pl-2">{tick(row.original)}</td> : null}
                    {row.getAllCells().map((cell) => (
                      <td
                        key={cell.id}
                        className={cx(
                          "px-3 py-1.5 last:pr-5",
                          select ? "" : "first:pl-5",
                          meta(cell).align === "end" && "text-end",
                          meta(cell).card === "title" && "min-w-44",
                        )}
                      >
                        <Lead href={isLead(cell) ? href?.(row.original) : undefined}>
                          <table.FlexRender cell={cell} />
                        </Lead>
                      </td>
                    ))}
                    {actions ? (
                      <td className="sticky right-0 bg-inherit py-1 pr-3 text-end shadow-[-6px_0_6px_-6px_var(--shade)]">
                        {actions(row.original)}
                      </td>
                    ) : null}
                  </tr>
                ))}
              </tbody>
            </table>
          </Card>
        )}
        {answer.data ? (
          <Pagination answer={answer.data} list={list} label={label} zone={zone} sums={sums} />
        ) : null}
      </div>
    </ListZone>
  );
}

function HeaderCell<R extends RowData>({
  header,
  children,
}: {
  header: Header<Features, R, unknown>;
  children: ReactNode;
}) {
  const { column } = header;
  const sorted = column.getIsSorted();
  const end = column.columnDef.meta?.align === "end";
  const Icon = sorted === "asc" ? ArrowUp : sorted === "desc" ? ArrowDown : ArrowUpDown;
  return (
    <th
      scope="col"
      aria-sort={sorted === "asc" ? "ascending" : sorted === "desc" ? "descending" : undefined}
      className={cx("px-3 py-2 whitespace-nowrap first:pl-5 last:pr-5", end && "text-end")}
    >
      {column.getCanSort() ? (
        <button
          type="button"
          onClick={() => column.toggleSorting()}
          className={cx(
            "-mx-1.5 inline-flex min-h-7 items-center gap-1 rounded-tag px-1.5 hover:text-ink",
            sorted && "text-ink",
          )}
        >
          {children}
          <Icon aria-hidden="true" className={cx("size-3.5", !sorted && "opacity-50")} />
        </button>
      ) : (
        children
      )}
    </th>
  );
}
