"use client";

import { Layers, Plus } from "lucide-react";
import { StatusBadge, statusLabel } from "@/components/ui/badge";
import { useUnsentReason } from "@/components/mails/use-mail-notice";
import { periodLink } from "@/components/subscriptions/words";
import { CreateLink } from "@/components/ui/create-link";
import { DataTable } from "@/components/ui/data-table";
import { columnsOf } from "@/components/ui/table-columns";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterBar, FilterSelect, SearchField } from "@/components/ui/filter-bar";
import { RowMenu } from "@/components/ui/menu";
import { Money } from "@/components/ui/money";
import { PageHeader } from "@/components/ui/page-header";
import { Day, Time } from "@/components/ui/time";
import { ExportLink } from "@/components/record/export-link";
import { Views } from "@/components/views/views";
import { useChosenRow } from "@/lib/client/chosen-row";
import { useEndpoint } from "@/lib/client/hooks";
import { nothingYet, useListState } from "@/lib/client/list-state";
import { useOrigin } from "@/lib/client/origin";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { exportPackages, createPackage, listPackages } from "@/lib/contract/operations";
import type { FilterOf } from "@/lib/contract/lists";
import type { Package, PackageQuery } from "@/lib/contract/packages";
import { snippet } from "@/lib/contract/snippets";
import { packageStatuses } from "@/lib/contract/values";
import { every } from "@/lib/kernel/every";
import { DeletePackage } from "./delete-dialog";
import { PackageMenuItems } from "./package-menu";
import { frequencyLabel } from "./words";

/** A business has few packages: a search and the status find them. */
type NotOffered = "currency" | "amount_min" | "amount_max" | "created_from" | "created_to";

const filters = every<Exclude<FilterOf<PackageQuery>, NotOffered>>()(["q", "status"]);

const column = columnsOf<Package>();
const columns = column.columns([
  column.accessor("name", {
    header: "Name",
    enableSorting: true,
    meta: { card: "title" },
    cell: ({ row }) => (
      <span dir="auto" lang="">
        {row.original.name}
      </span>
    ),
  }),
  column.accessor("status", {
    header: "Status",
    cell: ({ row }) => <StatusBadge status={row.original.status} />,
  }),
  column.accessor("frequency", {
    header: "Charged",
    cell: ({ row }) => frequencyLabel(row.original.frequency),
  }),
  column.accessor("date_charge_start", {
    header: "Billing starts on",
    cell: ({ row }) => (
      <Day value={row.original.date_charge_start} className="whitespace-nowrap text-muted" />
    ),
  }),
  column.accessor("created_at", {
    header: "Created",
    enableSorting: true,
    cell: ({ row }) => (
      <Time value={row.original.created_at} className="whitespace-nowrap text-muted" />
    ),
  }),
  column.accessor("amount", {
    header: "Amount",
    enableSorting: true,
    meta: { align: "end", card: "aside" },
    cell: ({ row }) => (
      <Money
        amount={row.original.amount}
        currency={row.original.currency}
        className="font-medium"
      />
    ),
  }),
]);

/** Every package of this business and mode: what subscribers pay for. */
export function PackageList() {
  const { path } = useScope();
  const { may } = useMembership();
  const list = useListState(filters);
  const { values, set } = list;
  const answer = useEndpoint(listPackages, { query: list.query }, { keepPrevious: true });
  const [deleting, setDeleting] = useChosenRow(answer.data?.data);
  const nothing = nothingYet(list, answer);
  const create = may(createPackage) ? (
    <CreateLink href={path("/packages/new")} icon={<Plus aria-hidden="true" className="size-4" />}>
      Create package
    </CreateLink>
  ) : null;
  return (
    <>
      <PageHeader
        list
        title="Packages"
        description="What subscribers pay for: how much, how often, and from which day."
        actions={nothing ? null : create}
      />
      {nothing ? null : (
        <FilterBar
          list={list}
          end={
            <>
              <Views of="packages" list={list} columns={columns} />
              <ExportLink of={exportPackages} list={list} />
            </>
          }
        >
          <SearchField
            label="Search packages"
            placeholder="Name or id"
            value={values.q}
            onChange={(q) => set({ q })}
          />
          <FilterSelect
            label="Status"
            value={values.status}
            onChange={(status) => set({ status })}
            options={packageStatuses.map((value) => ({ value, label: statusLabel(value) }))}
          />
        </FilterBar>
      )}
      <DataTable
        label="Packages"
        columns={columns}
        answer={answer}
        list={list}
        href={(one) => path(`/packages/${one._id}`)}
        actions={(one) => (
          <RowMenu label={`Actions for ${one.name}`}>
            <PackageMenuItems subject={one} onDelete={setDeleting} />
          </RowMenu>
        )}
        empty={<NoPackagesYet action={create} />}
      />
      <DeletePackage subject={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}

const firstPackage = {
  name: "Gold membership",
  amount: 4900,
  currency: "MYR",
  frequency: "monthly",
  date_charge_start: "2027-01-31",
  description: "All classes",
};

function NoPackagesYet({ action }: { action: React.ReactNode }) {
  const baseUrl = useOrigin();
  const unsent = useUnsentReason();
  return (
    <EmptyState
      icon={<Layers />}
      title="Bill customers regularly"
      action={action}
      code={{
        label: "Or from a program",
        text: snippet(createPackage, "curl", { baseUrl, body: firstPackage }),
      }}
    >
      A package is a price with a rhythm, such as MYR 49.00 every month. Subscribe people to it, and
      each period is charged to their saved payment method. Without one, {periodLink(unsent)}
    </EmptyState>
  );
}
