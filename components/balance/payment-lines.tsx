"use client";

import { Download, Scale } from "lucide-react";
import { AnchorButton } from "@/components/ui/button";
import { DataTable } from "@/components/ui/data-table";
import { DateRange } from "@/components/ui/date-range";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterBar, FilterSelect } from "@/components/ui/filter-bar";
import { RecordLink } from "@/components/record/record-link";
import { LinkButton } from "@/components/ui/link-button";
import { Money } from "@/components/ui/money";
import { columnsOf } from "@/components/ui/table-columns";
import { Time } from "@/components/ui/time";
import { Views } from "@/components/views/views";
import { fileAddress } from "@/lib/client/files";
import { useEndpoint } from "@/lib/client/hooks";
import { nothingYet, useListState } from "@/lib/client/list-state";
import { useOrigin } from "@/lib/client/origin";
import { useScope } from "@/lib/client/use-scope";
import { exportPayments, getBalance, listPayments } from "@/lib/contract/operations";
import { feesOf, netOf } from "@/lib/contract/payment-sums";
import type { PaymentWithPayer } from "@/lib/contract/payments";
import { snippet } from "@/lib/contract/snippets";
import { calendar } from "@/lib/contract/values";
import { PaymentOf } from "./payment-of";
import { Totals } from "./totals";
import { bookedNote } from "./words";

const names = ["currency", "succeeded_from", "succeeded_to"] as const;

const column = columnsOf<PaymentWithPayer>();
const columns = column.columns([
  column.accessor("email", {
    header: "Payment",
    meta: { card: "title", ownLead: true },
    cell: ({ row: { original } }) => (
      <PaymentOf id={original._id} title={original.title} email={original.email} />
    ),
  }),
  column.accessor("succeeded_at", {
    header: "Paid",
    enableSorting: true,
    cell: ({ row }) => <Time value={row.original.succeeded_at} className="whitespace-nowrap" />,
  }),
  column.accessor("amount", {
    header: "Gross",
    enableSorting: true,
    meta: { align: "end" },
    cell: ({ row: { original } }) => (
      <Money amount={original.amount} currency={original.currency} />
    ),
  }),
  column.display({
    id: "back",
    header: "Refunds and disputes",
    meta: { align: "end" },
    cell: ({ row: { original } }) => {
      const back = original.refunded_amount + original.disputed_amount;
      return back === 0 ? (
        <span className="text-muted">–</span>
      ) : (
        <Money amount={-back} currency={original.currency} />
      );
    },
  }),
  column.accessor("fee", {
    header: "Fee",
    meta: { align: "end" },
    cell: ({ row: { original } }) => {
      const fees = feesOf(original);
      return fees.length === 0 ? (
        <span className="text-muted">–</span>
      ) : (
        fees.map(({ amount, currency }) => (
          <span key={currency} className="block">
            <Money amount={-amount} currency={currency} />
          </span>
        ))
      );
    },
  }),
  column.accessor("net", {
    header: "Net",
    meta: { align: "end", card: "aside" },
    cell: ({ row: { original } }) => (
      <Money amount={netOf(original)} currency={original.currency} className="font-medium" />
    ),
  }),
]);

/** Every payment that brought money: who paid, gross, fee and net. */
export function PaymentLines() {
  const baseUrl = useOrigin();
  const { business, mode, path } = useScope();
  const list = useListState(names, "-succeeded_at");
  const { values, set } = list;
  // Those that brought money, also where a dispute holds it.
  const query = { ...list.query, succeeded_from: list.query.succeeded_from || calendar.first };
  const answer = useEndpoint(listPayments, { query }, { keepPrevious: true });
  const all = useEndpoint(getBalance, { query: {} });
  const nothing = nothingYet(list, answer);
  const note = bookedNote({
    days: values.succeeded_from !== "" || values.succeeded_to !== "",
    currency: values.currency,
  });
  const journal = `/balance?${new URLSearchParams({
    view: "journal",
    created_from: values.succeeded_from,
    created_to: values.succeeded_to,
    currency: values.currency,
  })}`;
  const currencies = [
    ...new Set([
      ...(all.data?.currencies ?? []).map(({ currency }) => currency),
      ...(values.currency ? [values.currency] : []),
    ]),
  ];
  return (
    <>
      {nothing ? null : (
        <>
          <FilterBar
            list={list}
            end={
              <>
                <Views of="balance" list={list} columns={columns} />
                <AnchorButton
                  href={fileAddress(
                    exportPayments,
                    {
                      query: {
                        ...list.filters,
                        succeeded_from: query.succeeded_from,
                        sort: list.query.sort,
                      },
                    },
                    { business, mode },
                  )}
                  download
                >
                  <Download aria-hidden="true" className="size-4" />
                  Export CSV
                </AnchorButton>
              </>
            }
          >
            <DateRange
              label="Paid"
              from={values.succeeded_from}
              to={values.succeeded_to}
              onChange={({ from, to }) => set({ succeeded_from: from, succeeded_to: to })}
            />
            <FilterSelect
              label="Currency"
              value={values.currency}
              onChange={(currency) => set({ currency })}
              options={currencies.map((value) => ({ value, label: value }))}
            />
          </FilterBar>
          <Totals
            query={{
              currency: values.currency,
              created_from: list.filters.succeeded_from,
              created_to: list.filters.succeeded_to,
            }}
            currencies={values.currency ? [values.currency] : currencies}
          >
            {note ? (
              <p className="text-fine text-muted">
                {note}: <RecordLink to={journal} text="see the entries" />.
              </p>
            ) : null}
          </Totals>
        </>
      )}
      <DataTable
        label="Payments"
        columns={columns}
        answer={answer}
        list={list}
        href={(payment) => path(`/payments/${payment._id}`)}
        empty={
          <EmptyState
            icon={<Scale />}
            title="Nothing booked yet"
            action={
              <LinkButton href={path("/payment-links")} variant="primary">
                Go to payment links
              </LinkButton>
            }
            code={{
              label: "Or read it from a program",
              text: snippet(getBalance, "curl", { baseUrl }),
            }}
          >
            The first payment that succeeds is booked here, with the fee of the payment provider.
            Refunds follow.
          </EmptyState>
        }
      />
    </>
  );
}
