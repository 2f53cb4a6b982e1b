"use client";

import { Scale } from "lucide-react";
import { DataTable } from "@/components/ui/data-table";
import { EmptyState } from "@/components/ui/empty-state";
import { LinkButton } from "@/components/ui/link-button";
import { Money } from "@/components/ui/money";
import { columnsOf } from "@/components/ui/table-columns";
import { Time } from "@/components/ui/time";
import { useEndpoint } from "@/lib/client/hooks";
import { useListState } from "@/lib/client/list-state";
import { useScope } from "@/lib/client/use-scope";
import { listStatementLines } from "@/lib/contract/operations";
import { byHand } from "@/lib/contract/payment-methods";
import { cameBefore, statementKindLabels } from "@/lib/contract/statement-kinds";
import type { StatementLine } from "@/lib/contract/statements";
import { PaymentOf } from "./payment-of";

function Amount({ amount, currency }: { amount: number; currency: string }) {
  return amount === 0 ? (
    <span className="text-muted">–</span>
  ) : (
    <Money amount={amount} currency={currency} />
  );
}

const column = columnsOf<StatementLine>();
const columns = column.columns([
  column.accessor("email", {
    header: "Payment",
    meta: { card: "title", ownLead: true },
    cell: ({ row: { original } }) => (
      <PaymentOf
        id={original.payment_id}
        title={[original.title, original.reference].filter(Boolean).join(" · ")}
        email={original.email}
      />
    ),
  }),
  column.accessor("kind", {
    header: "For",
    cell: ({ row: { original } }) => (
      <span className="block">
        {statementKindLabels[original.kind]}
        <span className="block text-fine text-muted">{byHand(original.method)}</span>
      </span>
    ),
  }),
  column.accessor("created_at", {
    header: "Booked",
    enableSorting: true,
    cell: ({ row: { original } }) => (
      <>
        <Time value={original.created_at} className="whitespace-nowrap" />
        {cameBefore(original) ? (
          <span className="block text-fine text-muted">
            Came <Time value={cameBefore(original)} />
          </span>
        ) : null}
      </>
    ),
  }),
  column.accessor("gross", {
    header: "Gross",
    meta: { align: "end" },
    cell: ({ row: { original } }) => (
      <Amount amount={original.gross} currency={original.currency} />
    ),
  }),
  column.display({
    id: "returned",
    header: "Refunds and disputes",
    meta: { align: "end" },
    cell: ({ row: { original } }) => (
      <Amount amount={-original.refunds - original.disputes} currency={original.currency} />
    ),
  }),
  column.accessor("fees", {
    header: "Fee",
    meta: { align: "end" },
    cell: ({ row: { original } }) => (
      <Amount amount={-original.fees} currency={original.currency} />
    ),
  }),
  column.accessor("net", {
    header: "Net",
    meta: { align: "end", card: "aside" },
    cell: ({ row: { original } }) => (
      <Money amount={original.net} currency={original.currency} className="font-medium" />
    ),
  }),
]);

/** The lines of a month, a page at a time. */
export function StatementLines({ month }: { month: string }) {
  const { path } = useScope();
  const list = useListState([]);
  const answer = useEndpoint(
    listStatementLines,
    { params: { month }, query: list.query },
    { keepPrevious: true },
  );
  return (
    <DataTable
      label="Statement lines"
      columns={columns}
      answer={answer}
      list={list}
      href={(line) => path(`/payments/${line.payment_id}`)}
      empty={
        <EmptyState
          icon={<Scale />}
          title="Nothing was booked in this month"
          action={<LinkButton href={path("/balance")}>See the whole balance</LinkButton>}
        >
          Payments, fees, refunds and disputes are booked in the month in which they happen.
        </EmptyState>
      }
    />
  );
}
