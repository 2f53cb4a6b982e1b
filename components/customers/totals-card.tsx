"use client";

import { Card, Facts } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { Money } from "@/components/ui/money";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { useEndpoint } from "@/lib/client/hooks";
import type { CustomerTotals } from "@/lib/contract/customers";
import { getCustomerTotals } from "@/lib/contract/operations";

/** What a customer has paid and owes, for each currency. */
export function TotalsCard({ id }: { id: string }) {
  const answer = useEndpoint(getCustomerTotals, { params: { customer_id: id } });
  return (
    <Card title="Totals">
      {answer.isPending ? (
        <Loading label="Loading totals">
          <Skeleton className="w-2/3" />
        </Loading>
      ) : answer.error && !answer.data ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : answer.data?.length ? (
        <div className="grid gap-5">
          {answer.data.map((one) => (
            <Sums key={one.currency} {...one} />
          ))}
        </div>
      ) : (
        <p className="text-muted">Nothing paid, and nothing to pay.</p>
      )}
    </Card>
  );
}

function Sums({ currency, ...sums }: CustomerTotals[number]) {
  const { payments, paid, refunded, disputed, open, open_links: links } = sums;
  const money = (amount: number) => <Money amount={amount} currency={currency} />;
  const count = (n: number, what: string) =>
    n === 0 ? null : (
      <span className="font-normal text-muted">
        {" "}
        in {n.toLocaleString("en-GB")} {what}
        {n === 1 ? "" : "s"}
      </span>
    );
  return (
    <Facts
      items={[
        {
          label: "Paid",
          value: (
            <>
              {money(paid)}
              {count(payments, "payment")}
            </>
          ),
        },
        ...(refunded > 0 ? [{ label: "Refunded", value: money(refunded) }] : []),
        ...(disputed > 0 ? [{ label: "Disputed", value: money(disputed) }] : []),
        {
          label: "Open",
          value: (
            <>
              {money(open)}
              {count(links, "link")}
            </>
          ),
        },
      ]}
    />
  );
}
