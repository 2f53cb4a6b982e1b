"use client";

import { CreditCard } from "lucide-react";
import { CustomerLink } from "@/components/record/customer-link";
import { CustomerName, CustomerNames } from "@/components/record/customer-names";
import { ListSums } from "@/components/record/list-sums";
import { MoreFilters } from "@/components/record/more-filters";
import { Badge, StatusBadge, statusLabel } from "@/components/ui/badge";
import { LinkButton } from "@/components/ui/link-button";
import { DataTable } from "@/components/ui/data-table";
import { columnsOf } from "@/components/ui/table-columns";
import { DateRange } from "@/components/ui/date-range";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterBar, FilterSelect, SearchField } from "@/components/ui/filter-bar";
import { Money } from "@/components/ui/money";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { ExportLink } from "@/components/record/export-link";
import { Views } from "@/components/views/views";
import { useEndpoint } from "@/lib/client/hooks";
import { nothingYet, useListState } from "@/lib/client/list-state";
import { useOrigin } from "@/lib/client/origin";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import {
  createPaymentLink,
  exportPayments,
  getPaymentTotals,
  listPayments,
} from "@/lib/contract/operations";
import type { PaymentWithPayer } from "@/lib/contract/payments";
import { snippet } from "@/lib/contract/snippets";
import { paymentAttention, paymentStatuses } from "@/lib/contract/values";
import { paymentFilters } from "./list-filters";
import { attentionLabels, flagTitle, paidThrough } from "./words";

const choices = {
  collected: {
    label: "Collected",
    options: [
      { value: "true", label: "Yes" },
      { value: "false", label: "No" },
    ],
  },
  attention: {
    label: "Needs attention",
    options: paymentAttention.map((value) => ({ value, label: attentionLabels[value] })),
  },
};

const chips = [
  { names: ["payment_link_id"], text: "One payment link" },
  { names: ["subscription_id"], text: "One subscription" },
  { names: ["tokenization_id"], text: "One token" },
];

const column = columnsOf<PaymentWithPayer>();
const columns = column.columns([
  column.accessor("title", {
    header: "Title",
    meta: { card: "title" },
    cell: ({ row }) => (
      <span className="block">
        <span className="block max-w-48 truncate" dir="auto" lang="" title={row.original.title}>
          {row.original.title}
        </span>
        {row.original.reference ? (
          <span className="block max-w-48 truncate text-fine font-normal text-muted">
            {row.original.reference}
          </span>
        ) : null}
      </span>
    ),
  }),
  column.accessor("email", {
    header: "Payer",
    cell: ({ row }) => (
      <>
        <span className="block max-w-48 min-[88rem]:max-w-64">
          <CustomerLink email={row.original.email} />
          <CustomerName email={row.original.email} />
        </span>
        <span className="block text-fine text-muted">{paidThrough(row.original)}</span>
      </>
    ),
  }),
  column.accessor("status", {
    header: "Status",
    cell: ({ row }) => (
      <span className="inline-flex flex-wrap justify-end gap-1.5 xl:justify-start">
        <StatusBadge status={row.original.status} />
        {row.original.flags.map((flag) => (
          <Badge key={flag} tone="warn">
            {flagTitle(flag)}
          </Badge>
        ))}
        {row.original.message ? (
          <span
            className="block max-w-44 basis-full truncate text-fine text-muted"
            title={row.original.message}
          >
            {row.original.message}
          </span>
        ) : null}
      </span>
    ),
  }),
  column.accessor("created_at", {
    header: "Started",
    enableSorting: true,
    cell: ({ row }) => (
      <>
        <Time value={row.original.created_at} />
        {row.original.succeeded_at ? (
          <span className="block text-fine text-muted">
            Paid <Time value={row.original.succeeded_at} />
          </span>
        ) : null}
      </>
    ),
  }),
  column.accessor("amount", {
    header: "Amount",
    enableSorting: true,
    meta: { align: "end", card: "aside" },
    cell: ({ row }) => (
      <>
        <Money
          amount={row.original.amount}
          currency={row.original.currency}
          className="font-medium"
        />
        {row.original.refunded_amount > 0 ? (
          <span className="block text-fine font-normal text-muted">
            <Money amount={row.original.refunded_amount} currency={row.original.currency} />{" "}
            refunded
          </span>
        ) : null}
      </>
    ),
  }),
]);

/** Every attempt at money in this business and mode; new ones appear by themselves. */
export function PaymentList() {
  const { mode, path } = useScope();
  const { may } = useMembership();
  const baseUrl = useOrigin();
  const list = useListState(paymentFilters);
  const { values, set } = list;
  const answer = useEndpoint(listPayments, { query: list.query }, { keepPrevious: true });
  const nothing = nothingYet(list, answer);
  return (
    <>
      <PageHeader
        list
        title="Payments"
        description="Every attempt to pay, with how it ended and why."
      />
      {nothing ? null : (
        <FilterBar
          list={list}
          end={
            <>
              <Views of="payments" list={list} columns={columns} />
              <ExportLink of={exportPayments} list={list} />
            </>
          }
        >
          <SearchField
            label="Search payments"
            placeholder="E-mail, title, reference"
            value={values.q}
            onChange={(q) => set({ q })}
          />
          <FilterSelect
            label="Status"
            value={values.status}
            onChange={(status) => set({ status })}
            options={paymentStatuses.map((value) => ({ value, label: statusLabel(value) }))}
          />
          <DateRange
            label="Started"
            from={values.created_from}
            to={values.created_to}
            onChange={({ from, to }) => set({ created_from: from, created_to: to })}
          />
          <DateRange
            label="Paid"
            from={values.succeeded_from}
            to={values.succeeded_to}
            onChange={({ from, to }) => set({ succeeded_from: from, succeeded_to: to })}
          />
          <MoreFilters
            values={values}
            set={set}
            choices={choices}
            texts={{ email: "E-mail", reference: "Reference" }}
            chips={chips}
          />
        </FilterBar>
      )}
      <CustomerNames of="payment_ids" rows={answer.data?.data ?? []}>
        <DataTable
          label="Payments"
          columns={columns}
          answer={answer}
          sums={<ListSums of={getPaymentTotals} list={list} page={answer.data} />}
          list={list}
          noResults="Search in the menu also finds names of customers, and amounts before and after fees."
          href={(payment) => path(`/payments/${payment._id}`)}
          empty={
            <EmptyState
              icon={<CreditCard />}
              title="No payment yet"
              action={
                may(createPaymentLink) ? (
                  <LinkButton href={path("/payment-links/new")} variant="primary">
                    Create payment link
                  </LinkButton>
                ) : undefined
              }
              code={{
                label: "Or read them from a program",
                text: snippet(listPayments, "curl", { baseUrl }),
              }}
            >
              As soon as a payer presses Pay, the attempt appears here, and then how it ended.
              {mode === "test" ? " In test mode the simulator lets you choose the ending." : ""}
            </EmptyState>
          }
        />
      </CustomerNames>
    </>
  );
}
