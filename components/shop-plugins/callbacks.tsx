"use client";

import { Inbox } from "lucide-react";
import { RecordLink } from "@/components/record/record-link";
import { StatusBadge } from "@/components/ui/badge";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { columnsOf } from "@/components/ui/table-columns";
import { Time } from "@/components/ui/time";
import { useEndpoint } from "@/lib/client/hooks";
import { useLocalList } from "@/lib/client/local-list";
import type { Integration, IntegrationCallback } from "@/lib/contract/integrations";
import { listIntegrationCallbacks } from "@/lib/contract/operations";
import { shopWords } from "./words";

const column = columnsOf<IntegrationCallback>();
const columns = column.columns([
  column.accessor("payment_link_id", {
    header: "Payment link",
    meta: { card: "title" },
    cell: ({ row: { original } }) => (
      <RecordLink
        to={`/payment-links/${original.payment_link_id}`}
        text={original.payment_link_id}
      />
    ),
  }),
  column.accessor("status", {
    header: "Status",
    meta: { card: "aside" },
    cell: ({ row }) => <StatusBadge status={row.original.status} />,
  }),
  column.accessor("history", {
    header: "The shop said",
    cell: ({ row }) => (
      <span dir="auto" lang="" className="block max-w-80 truncate" title={shopWords(row.original)}>
        {shopWords(row.original)}
      </span>
    ),
  }),
  column.accessor("attempts", {
    header: "Attempts",
    cell: ({ row }) => `${row.original.attempts} of 3`,
  }),
  column.accessor("created_at", {
    header: "When",
    enableSorting: true,
    cell: ({ row }) => (
      <Time value={row.original.created_at} className="whitespace-nowrap text-muted" />
    ),
  }),
]);

const POLL_MS = 5_000;

/** The callbacks of a shop, with its own words: a shop answers 200 also for what it refuses. */
export function Callbacks({ plugin }: { plugin: Integration }) {
  const list = useLocalList();
  const answer = useEndpoint(
    listIntegrationCallbacks,
    { params: { integration_id: plugin._id }, query: list.query },
    { keepPrevious: true, every: POLL_MS },
  );
  return (
    <section aria-labelledby="callbacks">
      <h2 id="callbacks" className="mb-3 text-lead font-semibold tracking-[-0.01em]">
        Callbacks
      </h2>
      <DataTable
        label="Callbacks"
        columns={columns}
        answer={answer}
        list={list}
        empty={
          <EmptyState icon={<Inbox />} title="No payment has been reported yet">
            When a payer pays an order of this shop, Kutip calls the shop’s webhook. If a call
            fails, Kutip tries again. The shop’s response appears here.
          </EmptyState>
        }
      />
    </section>
  );
}
