"use client";

import { ScrollText } from "lucide-react";
import { Button } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { columnsOf } from "@/components/ui/table-columns";
import { DateRange } from "@/components/ui/date-range";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterBar, FilterSelect, SearchField } from "@/components/ui/filter-bar";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { useOrigin } from "@/lib/client/origin";
import { ExportLink } from "@/components/record/export-link";
import { Views } from "@/components/views/views";
import { useEndpoint } from "@/lib/client/hooks";
import { nothingYet, useListState } from "@/lib/client/list-state";
import { useScope } from "@/lib/client/use-scope";
import { exportRequestLog, listPaymentLinks, listRequestLog } from "@/lib/contract/operations";
import type { LoggedRequest } from "@/lib/contract/request-log";
import { snippet } from "@/lib/contract/snippets";
import { loggedMethods } from "@/lib/contract/values";
import { duration, RequestBadge } from "./request-badge";

const methods = loggedMethods.map((value) => ({ value, label: value }));
const callers = [
  { value: "key", label: "By: keys" },
  { value: "person", label: "By: people" },
];
const statuses = [
  { value: "2xx", label: "2xx: done" },
  { value: "4xx", label: "4xx: refused" },
  { value: "5xx", label: "5xx: server error" },
  ...["401", "403", "404", "409", "422", "429"].map((value) => ({ value, label: value })),
];

const column = columnsOf<LoggedRequest>();
const columns = column.columns([
  column.accessor("path", {
    header: "Call",
    meta: { card: "title" },
    cell: ({ row: { original } }) => (
      <code className="block max-w-md font-mono text-fine">
        <span className="font-semibold">{original.method}</span> {original.path}
        {original.query ? <span className="text-muted">?{original.query}</span> : null}
      </code>
    ),
  }),
  column.accessor("status", {
    header: "Status",
    meta: { card: "aside" },
    cell: ({ row }) => <RequestBadge status={row.original.status} />,
  }),
  column.accessor("caller", {
    header: "By",
    cell: ({ row }) => (
      <span className="block max-w-48 truncate">
        {(row.original.api_key ?? row.original.person)?.name ?? "–"}
      </span>
    ),
  }),
  column.accessor("duration_ms", {
    header: "Took",
    meta: { align: "end" },
    cell: ({ row }) => (
      <span className="figures text-muted">{duration(row.original.duration_ms)}</span>
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

/** In the address: calls of people too. Without it, the log shows those with API keys. */
const ANYONE = "anyone";
const POLL_MS = 4_000;
const unknownKeys =
  "Calls with an unknown or ended key get a 401 and belong to no business, so they are not here.";

/** What was typed is a request's id, or the beginning of a path. */
function searched(text: string): { q: string; path: string } {
  if (/^[0-9a-f]{4,8}(-[0-9a-f-]*)?$/i.test(text)) return { q: text, path: "" };
  return { q: "", path: text === "" || text.startsWith("/") ? text : `/${text}` };
}

/** The calls of the API for this business and mode; new ones appear by themselves. */
export function RequestList() {
  const baseUrl = useOrigin();
  const { path } = useScope();
  const list = useListState([
    "q",
    "path",
    "method",
    "status",
    "caller",
    "created_from",
    "created_to",
  ]);
  const { values, set } = list;
  const caller = values.caller === "" ? "key" : values.caller === ANYONE ? "" : values.caller;
  const answer = useEndpoint(
    listRequestLog,
    { query: { ...list.query, caller } },
    { keepPrevious: true, every: POLL_MS },
  );
  const ofKeys = caller === "key";
  const nothing = !ofKeys && nothingYet(list, answer);
  return (
    <>
      <PageHeader
        title="Request log"
        description="The latest calls of the API, with what was sent and answered. Secrets are hidden. Under heavy load some reads are left out."
      />
      {nothing ? null : (
        <FilterBar
          list={list}
          end={
            <>
              <Views of="requests" list={list} columns={columns} />
              <ExportLink
                of={exportRequestLog}
                list={{ ...list, filters: { ...list.filters, caller } }}
              />
            </>
          }
        >
          <SearchField
            label="Path or request id"
            placeholder="Path or request id"
            value={values.path || values.q}
            onChange={(text) => set(searched(text))}
          />
          <FilterSelect
            label="Method"
            value={values.method}
            onChange={(method) => set({ method })}
            options={methods}
          />
          <FilterSelect
            label="Status"
            value={values.status}
            onChange={(status) => set({ status })}
            options={statuses}
          />
          <FilterSelect
            label="By"
            any="By: anyone"
            value={caller}
            onChange={(next) => set({ caller: next === "key" ? null : next || ANYONE })}
            options={callers}
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
        label="Calls"
        columns={columns}
        answer={answer}
        list={list}
        noResults={values.status.startsWith("4") ? unknownKeys : undefined}
        href={(call) => path(`/developers/requests/${call._id}`)}
        empty={
          <EmptyState
            icon={<ScrollText />}
            title={ofKeys ? "No call with an API key yet" : "No call yet"}
            action={
              ofKeys ? (
                <Button onClick={() => set({ caller: ANYONE })}>Show calls by people</Button>
              ) : undefined
            }
            code={{
              label: "Make the first",
              text: snippet(listPaymentLinks, "curl", { baseUrl }),
            }}
          >
            A few seconds after a program or a person calls the API, the call appears here with its
            headers, what was sent and what was answered. {unknownKeys}
          </EmptyState>
        }
      />
    </>
  );
}
