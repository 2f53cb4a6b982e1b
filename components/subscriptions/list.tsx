"use client";

import { Repeat, UserPlus } from "lucide-react";
import { StatusBadge, statusLabel } from "@/components/ui/badge";
import { useUnsentReason } from "@/components/mails/use-mail-notice";
import { CreateLink } from "@/components/ui/create-link";
import { DataTable } from "@/components/ui/data-table";
import { columnsOf } from "@/components/ui/table-columns";
import { DateRange } from "@/components/ui/date-range";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterBar, FilterChips, FilterSelect, SearchField } from "@/components/ui/filter-bar";
import { RowMenu } from "@/components/ui/menu";
import { Money } from "@/components/ui/money";
import { PageHeader } from "@/components/ui/page-header";
import { Day } from "@/components/ui/time";
import { ExportLink } from "@/components/record/export-link";
import { Views } from "@/components/views/views";
import { useChosenRow } from "@/lib/client/chosen-row";
import { useEndpoint, useEveryRow } from "@/lib/client/hooks";
import { nothingYet, useListState } from "@/lib/client/list-state";
import { useOrigin } from "@/lib/client/origin";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import type { FilterOf } from "@/lib/contract/lists";
import {
  exportSubscriptions,
  createSubscription,
  listPackages,
  listSubscriptions,
} from "@/lib/contract/operations";
import { snippet } from "@/lib/contract/snippets";
import type { Subscription, SubscriptionQuery } from "@/lib/contract/subscriptions";
import { subscriptionStatuses } from "@/lib/contract/values";
import { every } from "@/lib/kernel/every";
import { frequencyLabel } from "@/components/packages/words";
import { CancelDialog, DeleteDialog } from "./end-dialogs";
import { SubscriptionMenuItems } from "./subscription-menu";
import { periodLink } from "./words";

/** A token shows its own subscriptions. */
type NotOffered = "tokenization_id" | "test_clock_id";

const filters = every<Exclude<FilterOf<SubscriptionQuery>, NotOffered>>()([
  "q",
  "email",
  "status",
  "package_id",
  "currency",
  "created_from",
  "created_to",
]);

const column = columnsOf<Subscription>();
const columns = column.columns([
  column.accessor("email", {
    header: "Subscriber",
    enableSorting: true,
    meta: { card: "title" },
    cell: ({ row }) => (
      <span className="block max-w-72 truncate xl:max-2xl:max-w-56" title={row.original.email}>
        {row.original.email}
      </span>
    ),
  }),
  column.accessor("status", {
    header: "Status",
    cell: ({ row }) => <StatusBadge status={row.original.status} />,
  }),
  column.accessor("package_id", {
    header: "Package",
    cell: ({ row }) => (
      <span dir="auto" lang="" className="block max-w-60 truncate">
        {row.original.package.name}
      </span>
    ),
  }),
  column.accessor("next_charge_at", {
    header: "Next charge",
    cell: ({ row }) => (
      <Day value={row.original.next_charge_at} className="whitespace-nowrap text-muted" />
    ),
  }),
  column.accessor("created_at", {
    header: "Since",
    enableSorting: true,
    cell: ({ row }) => (
      <Day value={row.original.created_at} className="whitespace-nowrap text-muted" />
    ),
  }),
  column.display({
    id: "amount",
    header: "Amount",
    meta: { align: "end", card: "aside" },
    cell: ({ row }) => (
      <>
        <Money
          amount={row.original.package.amount}
          currency={row.original.package.currency}
          className="font-medium"
        />
        <span className="block text-fine font-normal text-muted">
          {frequencyLabel(row.original.package.frequency)}
        </span>
      </>
    ),
  }),
]);

/** Every subscription of this business and mode. */
export function SubscriptionList() {
  const { path } = useScope();
  const { may } = useMembership();
  const list = useListState(filters);
  const { values, set } = list;
  const answer = useEndpoint(listSubscriptions, { query: list.query }, { keepPrevious: true });
  const packages = useEveryRow(listPackages, {});
  const [cancelling, setCancelling] = useChosenRow(answer.data?.data);
  const [deleting, setDeleting] = useChosenRow(answer.data?.data);
  const nothing = nothingYet(list, answer);
  const currencies = [
    ...new Set([
      ...(packages.data?.data ?? []).map(({ currency }) => currency),
      ...(values.currency ? [values.currency] : []),
    ]),
  ];
  const noPackage = packages.data?.data.length === 0;
  const subscribe = may(createSubscription) ? (
    <CreateLink
      href={path("/subscriptions/new")}
      icon={<UserPlus aria-hidden="true" className="size-4" />}
    >
      Subscribe someone
    </CreateLink>
  ) : null;
  return (
    <>
      <PageHeader
        list
        title="Subscriptions"
        description="Customers billed regularly."
        actions={nothing ? null : subscribe}
      />
      {nothing ? null : (
        <FilterBar
          list={list}
          end={
            <>
              <Views of="subscriptions" list={list} columns={columns} />
              <ExportLink of={exportSubscriptions} list={list} />
            </>
          }
        >
          <SearchField
            label="Search subscriptions"
            placeholder="E-mail, package or id"
            value={values.q}
            onChange={(q) => set({ q })}
          />
          <FilterSelect
            label="Status"
            value={values.status}
            onChange={(status) => set({ status })}
            options={subscriptionStatuses.map((value) => ({ value, label: statusLabel(value) }))}
          />
          <FilterSelect
            label="Package"
            value={values.package_id}
            onChange={(package_id) => set({ package_id })}
            options={(packages.data?.data ?? []).map(({ _id, name }) => ({
              value: _id,
              label: name,
            }))}
          />
          <FilterSelect
            label="Currency"
            value={values.currency}
            onChange={(currency) => set({ currency })}
            options={currencies.map((value) => ({ value, label: value }))}
          />
          <DateRange
            label="Since"
            from={values.created_from}
            to={values.created_to}
            onChange={({ from, to }) => set({ created_from: from, created_to: to })}
          />
          <FilterChips
            chips={[{ names: ["email"], text: `E-mail: ${values.email}` }]}
            values={values}
            set={set}
          />
        </FilterBar>
      )}
      <DataTable
        label="Subscriptions"
        columns={columns}
        answer={answer}
        list={list}
        noResults="Search in the menu also finds names of customers and phone numbers."
        href={(one) => path(`/subscriptions/${one._id}`)}
        actions={(one) => (
          <RowMenu label={`Actions for ${one.email}`}>
            <SubscriptionMenuItems
              subscription={one}
              onCancel={setCancelling}
              onDelete={setDeleting}
            />
          </RowMenu>
        )}
        empty={
          <NoSubscriptionsYet
            action={
              noPackage && subscribe ? (
                <CreateLink href={path("/packages/new")}>Create a package first</CreateLink>
              ) : (
                subscribe
              )
            }
            packageId={packages.data?.data.find(({ status }) => status === "active")?._id}
          />
        }
      />
      <CancelDialog subscription={cancelling} onClose={() => setCancelling(null)} />
      <DeleteDialog subscription={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}

function NoSubscriptionsYet({
  action,
  packageId,
}: {
  action: React.ReactNode;
  packageId: string | undefined;
}) {
  const baseUrl = useOrigin();
  const unsent = useUnsentReason();
  const body = { package_id: packageId ?? "the _id of a package", email: "ana@example.com" };
  return (
    <EmptyState
      icon={<Repeat />}
      title="Subscribe your first payer"
      action={action}
      code={{
        label: "Or from a program",
        text: snippet(createSubscription, "curl", { baseUrl, body }),
      }}
    >
      A subscription ties a payer to a package. Each period their saved payment method is charged.
      Without one, {periodLink(unsent)} You see here who is late.
    </EmptyState>
  );
}
