"use client";

import { OnlyFor } from "@/components/console/only-for";
import Link from "next/link";
import { Card } from "@/components/ui/card";
import { DateRange } from "@/components/ui/date-range";
import { FilterBar, FilterSelect, SearchField } from "@/components/ui/filter-bar";
import { DataTable } from "@/components/ui/data-table";
import { columnsOf } from "@/components/ui/table-columns";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { ExportLink } from "@/components/record/export-link";
import { Views } from "@/components/views/views";
import { useEndpoint, useEveryRow } from "@/lib/client/hooks";
import { consolePath } from "@/lib/client/scope";
import { useScope } from "@/lib/client/use-scope";
import { nothingYet, useListState } from "@/lib/client/list-state";
import type { AuditEntry } from "@/lib/contract/business";
import { exportAuditLog, listAuditLog, listMembers } from "@/lib/contract/operations";
import { actionOptions, actionWords, actorWords, detailWords, recordOf } from "./audit-words";

const column = columnsOf<AuditEntry>();
const columns = column.columns([
  column.accessor("action", {
    header: "What",
    meta: { card: "title" },
    cell: ({ row: { original } }) => (
      <>
        <span className="block font-medium">{actionWords(original.action)}</span>
        <span
          className="block max-w-80 truncate text-fine font-normal text-muted"
          title={detailWords(original.details)}
        >
          {detailWords(original.details)}
        </span>
      </>
    ),
  }),
  column.accessor("actor", {
    header: "Who",
    cell: ({ row }) => (
      <span className="block max-w-40 truncate" title={row.original.actor.email ?? undefined}>
        {actorWords(row.original.actor)}
      </span>
    ),
  }),
  column.accessor("mode", {
    header: "Mode",
    cell: ({ row }) => <span className="text-muted capitalize">{row.original.mode ?? "–"}</span>,
  }),
  column.accessor("object_id", {
    header: "On",
    cell: ({ row }) => <ObjectId entry={row.original} />,
  }),
  column.accessor("address", {
    header: "From",
    cell: ({ row }) => (
      <span
        className="block max-w-32 truncate text-muted"
        title={row.original.address ?? undefined}
      >
        {row.original.address ?? "–"}
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

function ObjectId({ entry }: { entry: AuditEntry }) {
  const { business, mode } = useScope();
  const id = entry.object_id;
  const place = recordOf(entry);
  const shown = (
    <code
      className="block max-w-32 truncate font-mono text-fine max-md:max-w-none"
      title={id ?? undefined}
    >
      {id ?? "–"}
    </code>
  );
  return place ? (
    <Link
      prefetch={false}
      href={consolePath({ business, mode: entry.mode ?? mode }, place)}
      className="inline-block min-h-6 text-accent underline underline-offset-3"
    >
      {shown}
    </Link>
  ) : (
    <span className="text-muted">{shown}</span>
  );
}

/** What people did in this business, newest first. */
export function AuditLog() {
  return (
    <>
      <PageHeader
        title="Audit log"
        description="What people did, in test and live mode. Nothing can be changed or taken out of it without being noticed: the operator checks it with “kutip audit:verify”."
      />
      <OnlyFor endpoint={listAuditLog}>
        <Entries />
      </OnlyFor>
    </>
  );
}

const names = ["q", "action", "actor_id", "created_from", "created_to"] as const;

function Entries() {
  const list = useListState(names);
  const { values, set } = list;
  const answer = useEndpoint(listAuditLog, { query: list.query }, { keepPrevious: true });
  const members = useEveryRow(listMembers, {});
  const nothing = nothingYet(list, answer);
  return (
    <>
      {nothing ? null : (
        <FilterBar
          list={list}
          end={
            <>
              <Views of="audit_log" list={list} columns={columns} />
              <ExportLink of={exportAuditLog} list={list} />
            </>
          }
        >
          <SearchField
            label="Search the audit log"
            placeholder="Person, address or id"
            value={values.q}
            onChange={(q) => set({ q })}
          />
          <FilterSelect
            label="What"
            value={values.action}
            onChange={(action) => set({ action })}
            options={actionOptions}
          />
          <FilterSelect
            label="Who"
            value={values.actor_id}
            onChange={(actor_id) => set({ actor_id })}
            options={(members.data?.data ?? []).map(({ _id, name }) => ({
              value: _id,
              label: name,
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
        label="Audit log"
        columns={columns}
        answer={answer}
        list={list}
        empty={
          <Card>
            <p className="font-medium">No entries yet</p>
            <p className="mt-0.5 text-muted">
              Every sign-in and every change that a person makes from now on is listed here.
            </p>
          </Card>
        }
      />
    </>
  );
}
