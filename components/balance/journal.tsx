"use client";

import { Download, Scale } from "lucide-react";
import { AnchorButton } from "@/components/ui/button";
import { LinkButton } from "@/components/ui/link-button";
import { DataTable } from "@/components/ui/data-table";
import { columnsOf } from "@/components/ui/table-columns";
import { DateRange } from "@/components/ui/date-range";
import { EmptyState } from "@/components/ui/empty-state";
import { FilterBar, FilterSelect } from "@/components/ui/filter-bar";
import { Money } from "@/components/ui/money";
import { Time } from "@/components/ui/time";
import { useOrigin } from "@/lib/client/origin";
import { fileAddress } from "@/lib/client/files";
import { useEndpoint } from "@/lib/client/hooks";
import { nothingYet, useListState } from "@/lib/client/list-state";
import { useScope } from "@/lib/client/use-scope";
import type { LedgerEntry } from "@/lib/contract/ledger";
import { exportLedgerEntries, getBalance, listLedgerEntries } from "@/lib/contract/operations";
import { snippet } from "@/lib/contract/snippets";
import { Totals } from "./totals";
import { accountOptions, accountWord, kindOptions, kindWord, sumsNote } from "./words";

const names = ["currency", "kind", "account", "created_from", "created_to"] as const;

function Side({ amount, currency }: { amount: number; currency: string }) {
  return amount > 0 ? (
    <Money amount={amount} currency={currency} className="font-medium" />
  ) : (
    <span className="text-muted">–</span>
  );
}

const column = columnsOf<LedgerEntry>();
const columns = column.columns([
  column.accessor("created_at", {
    header: "Booked",
    enableSorting: true,
    meta: { card: "title" },
    cell: ({ row }) => <Time value={row.original.created_at} />,
  }),
  column.accessor("kind", { header: "For", cell: ({ row }) => kindWord(row.original.kind) }),
  column.accessor("account", {
    header: "Account",
    cell: ({ row }) => accountWord(row.original.account),
  }),
  column.accessor("payment_id", {
    header: "Payment",
    cell: ({ row }) => (
      <code className="block max-w-44 truncate font-mono text-fine text-muted max-md:max-w-none">
        {row.original.payment_id}
      </code>
    ),
  }),
  column.display({
    id: "debit",
    header: "Debit",
    meta: { align: "end" },
    cell: ({ row: { original } }) => <Side amount={original.amount} currency={original.currency} />,
  }),
  column.display({
    id: "credit",
    header: "Credit",
    meta: { align: "end" },
    cell: ({ row: { original } }) => (
      <Side amount={-original.amount} currency={original.currency} />
    ),
  }),
]);

/** The entries of the ledger, by double entry, with the sums of their days and currency. */
export function Journal() {
  const baseUrl = useOrigin();
  const { business, mode, path } = useScope();
  const list = useListState(names);
  const { values, filters, set } = list;
  const { currency, created_from: from, created_to: to } = values;
  const answer = useEndpoint(listLedgerEntries, { query: list.query }, { keepPrevious: true });
  const all = useEndpoint(getBalance, { query: {} });
  const nothing = nothingYet(list, answer);
  const note = sumsNote(values);
  const currencies = (all.data?.currencies ?? []).map(({ currency: code }) => ({
    value: code,
    label: code,
  }));
  // One that is in the address may have no entries any more to be chosen from.
  const choices =
    currency === "" || currencies.some(({ value }) => value === currency)
      ? currencies
      : [...currencies, { value: currency, label: currency }];
  return (
    <>
      {nothing ? null : (
        <>
          <FilterBar
            list={list}
            end={
              <AnchorButton
                href={fileAddress(
                  exportLedgerEntries,
                  { query: { ...filters, sort: list.query.sort } },
                  { business, mode },
                )}
                download
              >
                <Download aria-hidden="true" className="size-4" />
                Export CSV
              </AnchorButton>
            }
          >
            <DateRange
              label="Booked"
              from={from}
              to={to}
              onChange={(range) => set({ created_from: range.from, created_to: range.to })}
            />
            <FilterSelect
              label="Currency"
              value={currency}
              onChange={(next) => set({ currency: next })}
              options={choices}
            />
            <FilterSelect
              label="For"
              value={values.kind}
              onChange={(kind) => set({ kind })}
              options={kindOptions}
            />
            <FilterSelect
              label="Account"
              value={values.account}
              onChange={(account) => set({ account })}
              options={accountOptions}
            />
          </FilterBar>
          <Totals
            query={{ currency, created_from: filters.created_from, created_to: filters.created_to }}
            currencies={currency ? [currency] : choices.map(({ value }) => value)}
          >
            {note ? <p className="text-fine text-muted">{note}</p> : null}
          </Totals>
        </>
      )}
      <DataTable
        label="Ledger entries"
        columns={columns}
        answer={answer}
        list={list}
        href={(entry) => path(`/payments/${entry.payment_id}`)}
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
            The first payment that succeeds is booked here, with what the payment provider keeps of
            it; refunds follow.
          </EmptyState>
        }
      />
    </>
  );
}
