"use client";

import {
  type Cell,
  type ColumnDef,
  createColumnHelper,
  type Header,
  type Row,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { ArrowDown, ArrowUp, ArrowUpDown } from "lucide-react";
import Link from "next/link";
import { type ReactNode, useMemo } from "react";
import type { Page } from "@/lib/contract/envelope";
import type { ListState } from "@/lib/client/list-state";
import { useMedia } from "@/lib/client/use-media";
import { Button } from "./button";
import { Card } from "./card";
import { cx } from "./cx";
import { ErrorState } from "./error-state";
import { Field, type Option, Select } from "./fields";
import { Pagination } from "./pagination";
import { Loading, Skeleton } from "./skeleton";

type Meta = {
  /** Numbers stand at the end of their column. */
  align?: "end";
  /** Its place on a phone's card: the first line, beside it, in the list below (as is), or not at all. */
  card?: "title" | "aside" | "none";
};

const features = tableFeatures({ rowSortingFeature, columnMeta: {} as Meta });
type Features = typeof features;
type RowData = { _id: string | number };
type Columns<R extends RowData> = readonly ReturnType<
  ReturnType<typeof columnsOf<R>>["columns"]
>[number][];

/** Makes columns of a row type: `columnsOf<PaymentLink>()`, at module level. Only columns with `enableSorting: true` sort, by their id. */
export const columnsOf = <R extends RowData>() => createColumnHelper<Features, R>();

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
    "page" | "setPage" | "perPage" | "setPerPage" | "sort" | "setSort" | "filtered" | "clear"
  >;
  /** Shown where there is nothing at all; with filters set, "No results" is shown instead. */
  empty: ReactNode;
  /** Where a row leads; its title cell becomes the link. */
  href?: (row: R) => string;
  /** The menu of a row, and nothing but a `RowMenu`. */
  actions?: (row: R) => ReactNode;
};

/** Rows of a list endpoint: a table, or cards on a phone, with every state they can be in. */
export function DataTable<R extends RowData>({
  label,
  columns,
  answer,
  list,
  empty,
  href,
  actions,
}: DataTableProps<R>) {
  const phone = useMedia("(width < 48rem)");
  const rows = useMemo(() => answer.data?.data ?? [], [answer.data]);
  const sorting = useMemo<SortingState>(
    () => [{ id: list.sort.replace(/^-/, ""), desc: list.sort.startsWith("-") }],
    [list.sort],
  );
  const table = useTable({
    features,
    columns: columns as ColumnDef<Features, R>[],
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
    return <ErrorState error={answer.error} retry={() => void answer.refetch()} />;
  if (rows.length === 0)
    return list.filtered ? (
      <NoResults clear={list.clear} />
    ) : list.page > 1 ? (
      <PastTheEnd back={() => list.setPage(1)} />
    ) : (
      empty
    );

  const found = table.getRowModel().rows;
  const busy = answer.isPlaceholderData ? "opacity-60 transition-opacity" : "transition-opacity";
  return (
    <div aria-busy={answer.isPlaceholderData || undefined}>
      {phone ? (
        <>
          <SortSelect
            label={label}
            ids={table
              .getAllLeafColumns()
              .flatMap((column) => (column.getCanSort() ? [column.id] : []))}
            list={list}
          />
          <ul aria-label={label} className={cx("grid gap-2.5", busy)}>
            {found.map((row) => (
              <RowCard
                key={row.id}
                row={row}
                render={(cell) => <table.FlexRender cell={cell} />}
                href={href}
                actions={actions}
              />
            ))}
          </ul>
        </>
      ) : (
        <Card flush className="overflow-x-auto">
          <table className={cx("w-full border-collapse", busy)}>
            <caption className="sr-only">{label}</caption>
            <thead>
              {table.getHeaderGroups().map((group) => (
                <tr key={group.id} className="border-b border-line text-fine text-muted">
                  {group.headers.map((header) => (
                    <HeaderCell key={header.id} header={header}>
                      <table.FlexRender header={header} />
                    </HeaderCell>
                  ))}
                  {actions ? (
                    <th scope="col" className="w-12">
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
                  className="group border-b border-line last:border-0 hover:bg-sunken"
                >
                  {row.getAllCells().map((cell) => (
                    <td
                      key={cell.id}
                      className={cx(
                        "px-3 py-1.5 first:pl-5 last:pr-5",
                        meta(cell).align === "end" && "text-end",
                        meta(cell).card === "title" && "min-w-44",
                      )}
                    >
                      <Lead href={meta(cell).card === "title" ? href?.(row.original) : undefined}>
                        <table.FlexRender cell={cell} />
                      </Lead>
                    </td>
                  ))}
                  {actions ? <td className="py-1 pr-3 text-end">{actions(row.original)}</td> : null}
                </tr>
              ))}
            </tbody>
          </table>
        </Card>
      )}
      {answer.data ? <Pagination answer={answer.data} list={list} label={label} /> : null}
    </div>
  );
}

const meta = (cell: { column: { columnDef: { meta?: Meta } } }): Meta =>
  cell.column.columnDef.meta ?? {};

function Lead({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (!href) return children;
  return (
    <Link
      href={href}
      prefetch={false}
      className="inline-flex min-h-6 max-w-full items-center font-medium underline-offset-3 hover:underline *:min-w-0"
    >
      {children}
    </Link>
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

// What the API sorts by, and how each order reads.
const orders: Record<string, readonly Option[]> = {
  created_at: [
    { value: "-created_at", label: "Newest first" },
    { value: "created_at", label: "Oldest first" },
  ],
  amount: [
    { value: "-amount", label: "Largest amount first" },
    { value: "amount", label: "Smallest amount first" },
  ],
};

/** Cards have no head whose columns could be pressed. */
function SortSelect({
  label,
  ids,
  list,
}: {
  label: string;
  ids: readonly string[];
  list: Pick<ListState<string>, "sort" | "setSort">;
}) {
  const options = ids.flatMap((id) => orders[id] ?? []);
  if (options.length === 0) return null;
  return (
    <Field label={`Sort ${label.toLowerCase()}`} hideLabel className="mb-2.5">
      <Select
        value={list.sort}
        onChange={(event) => list.setSort(event.target.value)}
        options={options}
        className="w-auto"
      />
    </Field>
  );
}

type RowCardProps<R extends RowData> = {
  row: Row<Features, R>;
  render: (cell: Cell<Features, R, unknown>) => ReactNode;
  href?: (row: R) => string;
  actions?: (row: R) => ReactNode;
};

function RowCard<R extends RowData>({ row, render, href, actions }: RowCardProps<R>) {
  const cells = row.getAllCells();
  const at = (place: Meta["card"]) => cells.filter((cell) => meta(cell).card === place);
  return (
    <li className="rounded-card bg-surface px-4 py-3 shadow-sheet">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0 flex-1 pt-1 text-note font-medium">
          {at("title").map((cell) => (
            <Lead key={cell.id} href={href?.(row.original)}>
              {render(cell)}
            </Lead>
          ))}
        </div>
        <div className="flex shrink-0 items-center gap-1 font-medium">
          {at("aside").map((cell) => (
            <div key={cell.id}>{render(cell)}</div>
          ))}
          {actions?.(row.original)}
        </div>
      </div>
      <dl className="mt-1.5 grid gap-1">
        {at(undefined).map((cell) => (
          <div key={cell.id} className="flex items-baseline justify-between gap-4">
            <dt className="shrink-0 text-fine text-muted">
              {typeof cell.column.columnDef.header === "string"
                ? cell.column.columnDef.header
                : cell.column.id}
            </dt>
            <dd className="min-w-0 text-end">{render(cell)}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

function NoResults({ clear }: { clear: () => void }) {
  return (
    <Card className="px-6 py-10 text-center">
      <h2 className="text-lead font-semibold">No results</h2>
      <p className="mt-1 mb-4 text-muted">Nothing matches these filters.</p>
      <Button onClick={clear}>Clear filters</Button>
    </Card>
  );
}

function PastTheEnd({ back }: { back: () => void }) {
  return (
    <Card className="px-6 py-10 text-center">
      <h2 className="text-lead font-semibold">This page is empty</h2>
      <p className="mt-1 mb-4 text-muted">The list has become shorter.</p>
      <Button onClick={back}>First page</Button>
    </Card>
  );
}

function TableSkeleton({ label }: { label: string }) {
  return (
    <Loading label={`Loading ${label.toLowerCase()}`}>
      <div className="rounded-card bg-surface p-5 shadow-sheet">
        {["a", "b", "c", "d", "e", "f", "g", "h"].map((key) => (
          <div key={key} className="flex h-11 items-center gap-6">
            <Skeleton className="w-2/5" />
            <Skeleton className="w-1/6" />
            <Skeleton className="ml-auto w-1/5 max-sm:hidden" />
          </div>
        ))}
      </div>
    </Loading>
  );
}
