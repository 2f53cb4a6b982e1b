"use client";

import { ArrowRight } from "lucide-react";
import Link from "next/link";
import { Money } from "@/components/ui/money";
import { useScope } from "@/lib/client/use-scope";
import type { OverviewCurrency } from "@/lib/contract/overview";

type FiguresProps = { money: OverviewCurrency; range: { from: string; to: string } };

const counted = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString("en-GB")} ${count === 1 ? one : many}`;

const dayMs = 86_400_000;

/** "12 % more than in the 30 days before". */
export function comparison(
  { collected, previous_collected: before, previous_collected_count: count }: OverviewCurrency,
  { from, to }: FiguresProps["range"],
): string {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
  const period = days === 1 ? "on the day before" : `in the ${days} days before`;
  // What came may all have been refunded.
  if (before <= 0) return collected > 0 ? `Nothing ${count > 0 ? "kept " : ""}${period}` : "";
  const percent = Math.round((Math.abs(collected - before) / before) * 100);
  if (percent === 0) return `As much as ${period}`;
  return `${percent.toLocaleString("en-GB")} % ${collected > before ? "more" : "less"} than ${period}`;
}

/** The four sums of a currency. Each leads to exactly the rows that it counts. */
export function Figures({ money, range }: FiguresProps) {
  const { path } = useScope();
  const { currency } = money;
  const days = (of: "created" | "succeeded") =>
    `${of}_from=${range.from}&${of}_to=${range.to}&currency=${currency}`;
  const figures = [
    {
      label: "Collected",
      amount: money.collected,
      detail: `${counted(money.collected_count, "payment")}, less refunds`,
      note: comparison(money, range),
      to: `/payments?collected=true&${days("succeeded")}`,
    },
    {
      label: "Open now",
      amount: money.open,
      detail: counted(money.open_count, "payment link"),
      to: `/payment-links?open=true&currency=${currency}`,
    },
    {
      label: "Failed",
      amount: money.failed,
      detail: counted(money.failed_count, "attempt"),
      to: `/payments?status=failed&${days("created")}`,
    },
    {
      label: "Recurring per month",
      amount: money.recurring,
      detail: counted(money.recurring_count, "active subscription"),
      to: `/subscriptions?status=active&currency=${currency}`,
    },
  ];
  return (
    <dl className="grid gap-2.5 sm:grid-cols-2 sm:gap-3 xl:grid-cols-4">
      {figures.map(({ label, amount, detail, to, note }, index) => (
        <div
          key={label}
          className={`relative rounded-card bg-surface px-5 py-4 shadow-sheet max-sm:flex max-sm:items-baseline max-sm:justify-between max-sm:gap-3 max-sm:px-4 max-sm:py-3 transition-shadow has-[a:hover]:shadow-float ${index === 0 ? "guilloche" : ""}`}
        >
          <dt className="text-muted">
            <Link
              prefetch={false}
              href={path(to)}
              className="inline-flex min-h-6 items-center gap-1 after:absolute after:inset-0 after:rounded-card"
            >
              {label}
              <ArrowRight aria-hidden="true" className="size-3.5 opacity-60" />
            </Link>
          </dt>
          <dd className="mt-0.5 max-sm:text-end">
            <Money
              amount={amount}
              currency={currency}
              className="text-title font-semibold tracking-[-0.02em]"
            />
            <span className="block text-fine text-muted">{detail}</span>
            {note ? <span className="block text-fine text-muted">{note}</span> : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}
