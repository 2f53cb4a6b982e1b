"use client";

import { Plus, Users } from "lucide-react";
import { CreateLink } from "@/components/ui/create-link";
import { DataTable } from "@/components/ui/data-table";
import { DateRange } from "@/components/ui/date-range";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterBar, SearchField } from "@/components/ui/filter-bar";
import { PageHeader } from "@/components/ui/page-header";
import { columnsOf } from "@/components/ui/table-columns";
import { Time } from "@/components/ui/time";
import { ExportLink } from "@/components/record/export-link";
import { Views } from "@/components/views/views";
import { useEndpoint } from "@/lib/client/hooks";
import { nothingYet, useListState } from "@/lib/client/list-state";
import { useOrigin } from "@/lib/client/origin";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import type { Customer } from "@/lib/contract/customers";
import { createCustomer, exportCustomers, listCustomers } from "@/lib/contract/operations";
import { snippet } from "@/lib/contract/snippets";
import { customerFilters } from "./list-filters";
import { languageName } from "./words";

const none = <span className="text-muted">–</span>;

const column = columnsOf<Customer>();
const columns = column.columns([
  column.accessor("name", {
    header: "Customer",
    meta: { card: "title" },
    cell: ({ row: { original } }) => (
      <span className="block max-w-72 truncate xl:max-2xl:max-w-60" dir="auto" lang="">
        {original.name ?? original.email}
      </span>
    ),
  }),
  column.accessor("email", {
    header: "E-mail",
    enableSorting: true,
    cell: ({ row: { original } }) => (
      <span className="block max-w-72 truncate xl:max-2xl:max-w-60" title={original.email}>
        {original.email}
      </span>
    ),
  }),
  column.accessor("phone_no", {
    header: "Phone number",
    cell: ({ row: { original } }) => original.phone_no ?? none,
  }),
  column.accessor("language", {
    header: "Language",
    cell: ({ row: { original } }) => (original.language ? languageName(original.language) : none),
  }),
  column.accessor("created_at", {
    header: "Since",
    enableSorting: true,
    cell: ({ row: { original } }) => (
      <Time value={original.created_at} className="whitespace-nowrap text-muted" />
    ),
  }),
]);

/** Every payer of this business and mode, once. */
export function CustomerList() {
  const { path } = useScope();
  const { may } = useMembership();
  const baseUrl = useOrigin();
  const list = useListState(customerFilters);
  const { values, set } = list;
  const answer = useEndpoint(listCustomers, { query: list.query }, { keepPrevious: true });
  const nothing = nothingYet(list, answer);
  const create = may(createCustomer) ? (
    <CreateLink href={path("/customers/new")} icon={<Plus aria-hidden="true" className="size-4" />}>
      Add customer
    </CreateLink>
  ) : null;
  return (
    <>
      <PageHeader
        list
        title="Customers"
        description="One customer per e-mail address that you have asked for money or added."
        actions={nothing ? null : create}
      />
      {nothing ? null : (
        <FilterBar
          list={list}
          end={
            <>
              <Views of="customers" list={list} columns={columns} />
              <ExportLink of={exportCustomers} list={list} />
            </>
          }
        >
          <SearchField
            label="Search customers"
            placeholder="Name, phone or e-mail"
            value={values.q}
            onChange={(q) => set({ q })}
          />
          <DateRange
            label="Since"
            from={values.created_from}
            to={values.created_to}
            onChange={({ from, to }) => set({ created_from: from, created_to: to })}
          />
        </FilterBar>
      )}
      <DataTable
        label="Customers"
        columns={columns}
        answer={answer}
        list={list}
        href={(one) => path(`/customers/${one._id}`)}
        empty={
          <EmptyState
            icon={<Users />}
            title="No customer yet"
            action={create}
            code={{
              label: "Or from a program",
              text: snippet(createCustomer, "curl", {
                baseUrl,
                body: { email: "ana@example.com", name: "Ana Costa" },
              }),
            }}
          >
            The first payment link, token or subscription for an address creates its customer.
          </EmptyState>
        }
      />
    </>
  );
}
