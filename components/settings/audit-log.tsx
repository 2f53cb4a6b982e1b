"use client";

import { OnlyFor } from "@/components/console/only-for";
import { Card } from "@/components/ui/card";
import { DataTable } from "@/components/ui/data-table";
import { columnsOf } from "@/components/ui/table-columns";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { useEndpoint } from "@/lib/client/hooks";
import { useListState } from "@/lib/client/list-state";
import type { AuditEntry } from "@/lib/contract/business";
import { listAuditLog } from "@/lib/contract/operations";
import { actionWords, actorWords, detailWords } from "./audit-words";

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
    cell: ({ row }) => <ObjectId id={row.original.object_id} />,
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

function ObjectId({ id }: { id: string | null }) {
  return (
    <code
      className="block max-w-32 truncate font-mono text-fine max-md:max-w-none text-muted"
      title={id ?? undefined}
    >
      {id ?? "–"}
    </code>
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

function Entries() {
  const list = useListState([]);
  const answer = useEndpoint(listAuditLog, { query: list.query }, { keepPrevious: true });
  return (
    <DataTable
      label="Audit log"
      columns={columns}
      answer={answer}
      list={list}
      empty={
        <Card>
          <p className="font-medium">No entries yet</p>
          <p className="mt-0.5 text-muted">
            Every sign-in and every change that a person makes from now on does.
          </p>
        </Card>
      }
    />
  );
}
