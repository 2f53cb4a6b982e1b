"use client";

import type { Cell, Row } from "@tanstack/react-table";
import type { ReactNode } from "react";
import type { ListState } from "@/lib/client/list-state";
import { cx } from "./cx";
import { Field, type Option, Select } from "./fields";
import { type Features, isLead, type Meta, meta, type RowData } from "./table-columns";
import { Lead } from "./table-lead";

// What the API sorts by, and how each order reads.
const orders: Record<string, readonly Option[]> = {
  created_at: [
    { value: "-created_at", label: "Newest first" },
    { value: "created_at", label: "Oldest first" },
  ],
  succeeded_at: [
    { value: "-succeeded_at", label: "Last paid first" },
    { value: "succeeded_at", label: "First paid first" },
  ],
  amount: [
    { value: "-amount", label: "Largest amount first" },
    { value: "amount", label: "Smallest amount first" },
  ],
  email: [
    { value: "email", label: "E-mail from A to Z" },
    { value: "-email", label: "E-mail from Z to A" },
  ],
  name: [
    { value: "name", label: "Name from A to Z" },
    { value: "-name", label: "Name from Z to A" },
  ],
};

/** Cards have no column headers to press. */
export function SortSelect({
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
    <div data-order>
      <Field label={`Sort ${label.toLowerCase()}`} hideLabel className="mb-2.5">
        <Select
          value={list.sort}
          onChange={(event) => list.setSort(event.target.value)}
          options={options}
          className="w-auto"
        />
      </Field>
    </div>
  );
}

type RowCardProps<R extends RowData> = {
  row: Row<Features, R>;
  render: (cell: Cell<Features, R, unknown>) => ReactNode;
  href?: (row: R) => string;
  actions?: (row: R) => ReactNode;
  tick?: ReactNode;
};

export function RowCard<R extends RowData>({ row, render, href, actions, tick }: RowCardProps<R>) {
  const cells = row.getAllCells();
  const at = (place: Meta["card"]) => cells.filter((cell) => meta(cell).card === place);
  return (
    <li
      data-row={href ? row.id : undefined}
      className={cx("rounded-card bg-surface px-4 py-3 shadow-sheet", href && "cursor-pointer")}
    >
      <div className="flex items-start justify-between gap-3">
        {tick ? <div className="-mr-3 -ml-2">{tick}</div> : null}
        <div className="min-w-0 flex-1 pt-1 text-note font-medium">
          {at("title").map((cell) => (
            <Lead key={cell.id} href={isLead(cell) ? href?.(row.original) : undefined}>
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
