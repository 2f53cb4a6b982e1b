"use client";

import { Inbox, RotateCw } from "lucide-react";
import { Badge, StatusBadge, statusLabel } from "@/components/ui/badge";
import { DataTable } from "@/components/ui/data-table";
import { columnsOf } from "@/components/ui/table-columns";
import { DateRange } from "@/components/ui/date-range";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterBar, FilterSelect } from "@/components/ui/filter-bar";
import { MenuItem, RowMenu } from "@/components/ui/menu";
import { Time } from "@/components/ui/time";
import { ExportLink } from "@/components/record/export-link";
import { useEndpoint } from "@/lib/client/hooks";
import { nothingYet, useListState } from "@/lib/client/list-state";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import {
  exportWebhookDeliveries,
  listEndpointDeliveries,
  redeliverWebhook,
} from "@/lib/contract/operations";
import { deliveryStatuses } from "@/lib/contract/values";
import type { WebhookEndpoint } from "@/lib/contract/webhook-endpoint";
import type { WebhookDelivery } from "@/lib/contract/webhooks";
import { useRedeliver } from "./use-redeliver";
import { lastText } from "./words";

const column = columnsOf<WebhookDelivery>();
const columns = column.columns([
  column.accessor("type", {
    header: "Event",
    meta: { card: "title" },
    cell: ({ row }) => (
      <span className="inline-flex flex-wrap items-center gap-x-2">
        <code className="font-mono text-fine md:whitespace-nowrap">{row.original.type}</code>
        {row.original.test ? <Badge>Test</Badge> : null}
      </span>
    ),
  }),
  column.accessor("status", {
    header: "Status",
    meta: { card: "aside" },
    cell: ({ row }) => <StatusBadge status={row.original.status} />,
  }),
  column.accessor("attempts", { header: "Attempts", cell: ({ row }) => row.original.attempts }),
  column.accessor("last_error", {
    header: "Last",
    cell: ({ row }) => (
      <span className="block max-w-64 truncate" title={lastText(row.original)}>
        {lastText(row.original)}
      </span>
    ),
  }),
  column.accessor("created_at", {
    header: "When",
    enableSorting: true,
    cell: ({ row }) => (
      <Time value={row.original.created_at} className="whitespace-nowrap text-muted" />
    ),
  }),
]);

const POLL_MS = 3_000;

/** What went to an endpoint and what became of it. */
export function DeliveryList({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { path } = useScope();
  const { may } = useMembership();
  const list = useListState(["status", "created_from", "created_to"]);
  const { values, set } = list;
  const answer = useEndpoint(
    listEndpointDeliveries,
    { params: { webhook_endpoint_id: endpoint._id }, query: list.query },
    { keepPrevious: true, every: POLL_MS },
  );
  const redeliver = useRedeliver();
  const nothing = nothingYet(list, answer);
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries" className="mb-3 text-lead font-semibold tracking-[-0.01em]">
        Deliveries
      </h2>
      {nothing ? null : (
        <FilterBar
          list={list}
          end={
            <ExportLink
              of={exportWebhookDeliveries}
              list={{ ...list, filters: { ...list.filters, webhook_endpoint_id: endpoint._id } }}
            />
          }
        >
          <FilterSelect
            label="Status"
            value={values.status}
            onChange={(status) => set({ status })}
            options={deliveryStatuses.map((status) => ({
              value: status,
              label: statusLabel(status),
            }))}
          />
          <DateRange
            label="When"
            from={values.created_from}
            to={values.created_to}
            onChange={({ from, to }) => set({ created_from: from, created_to: to })}
          />
        </FilterBar>
      )}
      <DataTable
        label="Deliveries"
        columns={columns}
        answer={answer}
        list={list}
        href={(delivery) => path(`/developers/webhooks/${endpoint._id}/${delivery._id}`)}
        actions={
          may(redeliverWebhook) && endpoint.enabled
            ? (delivery) =>
                delivery.redeliverable ? (
                  <RowMenu label={`Actions for ${delivery.type} (${delivery.event_id.slice(-6)})`}>
                    <MenuItem
                      onSelect={() =>
                        redeliver.run({ params: { webhook_delivery_id: delivery._id } })
                      }
                      icon={<RotateCw aria-hidden="true" />}
                    >
                      Resend
                    </MenuItem>
                  </RowMenu>
                ) : null
            : undefined
        }
        empty={
          <EmptyState icon={<Inbox />} title="Nothing has been sent yet">
            New events are sent here. Send a test event to see how it arrives, or send events again
            from before the endpoint existed.
          </EmptyState>
        }
      />
    </section>
  );
}
