"use client";

import { Card } from "@/components/ui/card";
import { Money } from "@/components/ui/money";
import type { OverviewCurrency } from "@/lib/contract/overview";
import { displayAmount } from "@/lib/kernel/money";
import { bucketsOf, rangeLabel, stepOf } from "./buckets";
import { Chart } from "./chart";

type ChartCardProps = { money: OverviewCurrency; range: { from: string; to: string } };

/** What was collected over the range: bars for the eye, the totals as their name, and the same as a table. */
export function ChartCard({ money, range }: ChartCardProps) {
  const { currency, collected, collected_count: count } = money;
  const buckets = bucketsOf(money.days);
  const step = stepOf(money.days.length);
  const total = `${displayAmount(collected, currency)} in ${count} payment${count === 1 ? "" : "s"}`;
  return (
    <Card title={`Collected each ${step}`} description={`${rangeLabel(range)}, in ${currency}.`}>
      {count === 0 ? (
        <p className="grid h-40 place-items-center text-muted">
          Nothing was collected in these days.
        </p>
      ) : (
        <div
          role="img"
          aria-label={`Chart of ${currency} collected each ${step}, ${rangeLabel(range)}: ${total}.`}
          className="h-60"
        >
          <Chart buckets={buckets} currency={currency} />
        </div>
      )}
      <details className="mt-3">
        <summary className="inline-flex min-h-7 items-center rounded-tag px-1 text-fine text-muted hover:text-ink">
          Show as a table
        </summary>
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          aria-label="Table of what was collected"
          className="mt-2 max-h-96 overflow-auto rounded-control ring-1 ring-line ring-inset"
        >
          <table className="w-full border-collapse">
            <caption className="sr-only">
              {currency} collected each {step}, {rangeLabel(range)}
            </caption>
            <thead>
              <tr className="border-b border-line text-fine text-muted">
                <th scope="col" className="px-4 py-2 capitalize">
                  {step}
                </th>
                <th scope="col" className="px-4 py-2 text-end">
                  Payments
                </th>
                <th scope="col" className="px-4 py-2 text-end">
                  Failed
                </th>
                <th scope="col" className="px-4 py-2 text-end">
                  Collected
                </th>
              </tr>
            </thead>
            <tbody>
              {buckets.map((one) => (
                <tr key={one.key} className="border-b border-line">
                  <th scope="row" className="px-4 py-1.5 font-normal whitespace-nowrap">
                    {one.label}
                  </th>
                  <td className="figures px-4 py-1.5 text-end">{one.collected_count}</td>
                  <td className="figures px-4 py-1.5 text-end">{one.failed_count}</td>
                  <td className="px-4 py-1.5 text-end">
                    <Money amount={one.collected} currency={currency} />
                  </td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr className="font-semibold">
                <th scope="row" className="px-4 py-2 font-semibold">
                  Total
                </th>
                <td className="figures px-4 py-2 text-end">{count}</td>
                <td className="figures px-4 py-2 text-end">{money.failed_count}</td>
                <td className="px-4 py-2 text-end">
                  <Money amount={collected} currency={currency} />
                </td>
              </tr>
            </tfoot>
          </table>
        </section>
      </details>
    </Card>
  );
}
