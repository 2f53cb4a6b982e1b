"use client";

import { Layers2 } from "lucide-react";
import { statusLabel } from "@/components/ui/badge";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterBar, FilterSelect } from "@/components/ui/filter-bar";
import { DateRange } from "@/components/ui/date-range";
import { PageHeader } from "@/components/ui/page-header";
import { columnsOf } from "@/components/ui/table-columns";
import { Time } from "@/components/ui/time";
import { ExportLink } from "@/components/record/export-link";
import { useEndpoint } from "@/lib/client/hooks";
import { useListState } from "@/lib/client/list-state";
import { useScope } from "@/lib/client/use-scope";
import type { Batch, BatchQuery } from "@/lib/contract/batches";
import type { FilterOf } from "@/lib/contract/lists";
import { exportBatches, listBatches } from "@/lib/contract/operations";
import { batchStatuses } from "@/lib/contract/batch-values";
import { every } from "@/lib/kernel/every";
import { BatchBadge } from "./badge";
import { actionLabel } from "./words";

const filters = every<FilterOf<BatchQuery>>()(["status", "open", "created_from", "created_to"]);

const column = columnsOf<Batch>();
const columns = column.columns([
  column.accessor("action", {
    header: "What",
    meta: { card: "title" },
    cell: ({ row }) => <span className="break-words">{actionLabel(row.original)}</span>,
  }),
  column.accessor("status", {
    header: "Status",
    cell: ({ row }) => <BatchBadge batch={row.original} />,
  }),
  column.accessor("total", {
    header: "Payment links",
    meta: { align: "end" },
    cell: ({ row }) => row.original.total.toLocaleString("en-GB"),
  }),
  column.accessor("changed", {
    header: "Changed",
    meta: { align: "end" },
    cell: ({ row }) => row.original.changed.toLocaleString("en-GB"),
  }),
  column.accessor("created_by", {
    header: "By",
    cell: ({ row }) => row.original.created_by.name,
  }),
  column.accessor("created_at", {
    header: "When",
    enableSorting: true,
    cell: ({ row }) => (
      <Time value={row.original.created_at} className="whitespace-nowrap text-muted" />
    ),
  }),
]);

/** Every import and every change of many payment links of this business and mode. */
export function BatchList() {
  const { path } = useScope();
  const list = useListState(filters);
  const answer = useEndpoint(listBatches, { query: list.query }, { keepPrevious: true });
  return (
    <>
      <PageHeader
        title="Imports and changes of many"
        description="What was done to many payment links at once. A cancellation, an extension and an import can be undone for 30 days."
        back={{ href: path("/payment-links"), label: "Payment links" }}
      />
      <FilterBar list={list} end={<ExportLink of={exportBatches} list={list} />}>
        <FilterSelect
          label="Status"
          value={list.values.status}
          onChange={(status) => list.set({ status })}
          options={batchStatuses.map((value) => ({ value, label: statusLabel(value) }))}
        />
        <DateRange
          label="Started"
          from={list.values.created_from}
          to={list.values.created_to}
          onChange={({ from, to }) => list.set({ created_from: from, created_to: to })}
        />
      </FilterBar>
      <DataTable
        label="Changes of many payment links"
        columns={columns}
        answer={answer}
        list={list}
        href={(batch) => path(`/payment-links/batches/${batch._id}`)}
        empty={
          <EmptyState icon={<Layers2 />} title="Nothing yet">
            Select payment links in their list to cancel, extend or remind many at once, or import
            them from a spreadsheet.
          </EmptyState>
        }
      />
    </>
  );
}
