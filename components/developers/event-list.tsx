"use client";

import { Activity } from "lucide-react";
import { DataTable } from "@/components/ui/data-table";
import { columnsOf } from "@/components/ui/table-columns";
import { DateRange } from "@/components/ui/date-range";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterBar, FilterSelect } from "@/components/ui/filter-bar";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { useOrigin } from "@/lib/client/origin";
import { ExportLink } from "@/components/record/export-link";
import { Views } from "@/components/views/views";
import { useEndpoint } from "@/lib/client/hooks";
import { nothingYet, useListState } from "@/lib/client/list-state";
import { useScope } from "@/lib/client/use-scope";
import type { Event } from "@/lib/contract/events";
import { exportEvents, listEvents } from "@/lib/contract/operations";
import { snippet } from "@/lib/contract/snippets";
import { eventTypes } from "@/lib/contract/values";
import { aboutOf } from "./event-words";
import { ReferenceLink } from "./reference-link";

const column = columnsOf<Event>();
const columns = column.columns([
  column.accessor("type", {
    header: "Type",
    meta: { card: "title" },
    cell: ({ row }) => <code className="font-mono text-fine">{row.original.type}</code>,
  }),
  column.accessor("data", {
    header: "About",
    cell: ({ row }) => (
      <span dir="auto" lang="" className="block max-w-72 truncate">
        {aboutOf(row.original)}
      </span>
    ),
  }),
  column.accessor("_id", {
    header: "Id",
    cell: ({ row }) => <code className="font-mono text-fine text-muted">{row.original._id}</code>,
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

/** Every change of state in this business and mode, as programs read it. */
export function EventList() {
  const baseUrl = useOrigin();
  const { path } = useScope();
  const list = useListState(["type", "created_from", "created_to"]);
  const { values, set } = list;
  const answer = useEndpoint(
    listEvents,
    { query: list.query },
    { keepPrevious: true, every: POLL_MS },
  );
  const nothing = nothingYet(list, answer);
  return (
    <>
      <PageHeader
        title="Events"
        description="Every change creates an event. Programs read events in order and miss none."
        actions={<ReferenceLink at="following-events" />}
      />
      {nothing ? null : (
        <FilterBar
          list={list}
          end={
            <>
              <Views of="events" list={list} columns={columns} />
              <ExportLink of={exportEvents} list={list} />
            </>
          }
        >
          <FilterSelect
            label="Type"
            value={values.type}
            onChange={(type) => set({ type })}
            options={eventTypes.map((type) => ({ value: type, label: type }))}
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
        label="Events"
        columns={columns}
        answer={answer}
        list={list}
        href={(event) => path(`/developers/events/${event._id}`)}
        empty={
          <EmptyState
            icon={<Activity />}
            title="Nothing has happened yet"
            code={{
              label: "How a program asks for events",
              text: snippet(listEvents, "curl", { baseUrl }),
            }}
          >
            Create a payment link and its first event appears here. A program keeps the id of the
            last event it has handled, and asks for what came after.
          </EmptyState>
        }
      />
    </>
  );
}
