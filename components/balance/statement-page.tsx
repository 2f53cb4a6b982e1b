"use client";

import { ChevronLeft, ChevronRight, Download, FileText, Printer } from "lucide-react";
import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { AnchorButton, Button } from "@/components/ui/button";
import { ErrorState } from "@/components/ui/error-state";
import { Money } from "@/components/ui/money";
import { PageHeader } from "@/components/ui/page-header";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { fileAddress } from "@/lib/client/files";
import { useEndpoint } from "@/lib/client/hooks";
import { useScope } from "@/lib/client/use-scope";
import { useTitle } from "@/lib/client/use-title";
import { useZone, zoneName } from "@/lib/client/use-zone";
import { exportStatement, getStatement, getStatementPdf } from "@/lib/contract/operations";
import type { StatementCurrency } from "@/lib/contract/statements";
import { readableMonth } from "@/lib/kernel/readable-time";
import { MonthSelect } from "./month-select";
import { isMonth, monthAfter, monthNow } from "./months";
import { StatementLines } from "./statement-lines";
import { ByHand, Figures, OnOtherDays, paymentsBooked } from "./totals";

/** A month of the balance: the sums, and a line for each payment, refund and dispute. The month is in the address. */
export function StatementPage() {
  const { business, mode, path } = useScope();
  const zone = useZone();
  const [asked, setAsked] = useQueryStates(
    { month: parseAsString, page: parseAsInteger },
    { history: "push" },
  );
  const now = monthNow(zone);
  const month = asked.month && isMonth(asked.month) ? asked.month : now;
  const title = `Statement ${readableMonth(month)}`;
  useTitle(title);
  const go = (next: string) => void setAsked({ month: next, page: null });
  const params = { month };
  const answer = useEndpoint(getStatement, { params }, { keepPrevious: true });
  const statement = answer.data?.month === month ? answer.data : undefined;
  const scope = { business, mode };
  return (
    <>
      <PageHeader
        title={title}
        description={
          answer.data
            ? `What was booked in this month, in the time of ${zoneName(answer.data.time_zone)}.`
            : "What was booked in this month."
        }
        back={{ href: path("/balance"), label: "Balance" }}
        actions={
          <div className="flex flex-wrap gap-2 print:hidden">
            <AnchorButton href={fileAddress(getStatementPdf, { params }, scope)} download>
              <FileText aria-hidden="true" className="size-4" />
              PDF
            </AnchorButton>
            <AnchorButton href={fileAddress(exportStatement, { params }, scope)} download>
              <Download aria-hidden="true" className="size-4" />
              Export CSV
            </AnchorButton>
            <Button onClick={() => window.print()}>
              <Printer aria-hidden="true" className="size-4" />
              Print
            </Button>
          </div>
        }
      />
      <div className="mb-5 flex flex-wrap items-center gap-2 print:hidden">
        <Button aria-label="Previous month" onClick={() => go(monthAfter(month, -1))}>
          <ChevronLeft aria-hidden="true" className="size-4" />
        </Button>
        <MonthSelect value={month} last={now} onChange={go} />
        <Button
          aria-label="Next month"
          disabled={month >= now}
          onClick={() => go(monthAfter(month, 1))}
        >
          <ChevronRight aria-hidden="true" className="size-4" />
        </Button>
      </div>
      {answer.error && !statement ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : statement ? (
        <div className="mb-6 grid gap-3">
          {statement.currencies.map((sums) => (
            <Sums key={sums.currency} sums={sums} />
          ))}
          <OnOtherDays of={statement.other_days} range="this month" />
        </div>
      ) : (
        <Loading label="Loading the statement">
          <Skeleton className="mb-6 h-24" />
        </Loading>
      )}
      <StatementLines month={month} />
    </>
  );
}

function Sums({ sums }: { sums: StatementCurrency }) {
  const { currency, opening, gross, refunds, disputes, fees, net, closing, manual } = sums;
  const figures = [
    { label: "Opening balance", amount: opening },
    { label: paymentsBooked, amount: gross },
    { label: "Refunded", amount: -refunds },
    ...(disputes === 0 ? [] : [{ label: "Taken by disputes", amount: -disputes }]),
    { label: "Fees", amount: -fees },
    { label: "Net of the month", amount: net },
    { label: "Closing balance", amount: closing },
  ];
  return (
    <Figures label={`Statement in ${currency}`} currency={currency} figures={figures}>
      <ByHand amount={manual} currency={currency} />
      {sums.without_fee > 0 ? (
        <p className="mt-2 text-fine text-muted">
          The payment provider has stated no fee for{" "}
          <Money amount={sums.without_fee} currency={currency} /> of the payments.
        </p>
      ) : null}
    </Figures>
  );
}
