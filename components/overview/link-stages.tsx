"use client";

import Link from "next/link";
import { Card } from "@/components/ui/card";
import { useScope } from "@/lib/client/use-scope";
import type { OverviewCurrency } from "@/lib/contract/overview";
import { rangeLabel } from "./buckets";

const stages = [
  { stage: "created", label: "Created", filter: "" },
  { stage: "mailed", label: "Sent by mail", filter: "&mailed=true" },
  { stage: "opened", label: "Opened", filter: "&opened=true" },
  { stage: "tried", label: "Tried to pay", filter: "&tried=true" },
  { stage: "paid", label: "Paid", filter: "&paid=true" },
] as const;

/** "25 %" of all; never 0 % of some, or 100 % of all but a few. */
export function share(count: number, all: number): string {
  const percent = (count / all) * 100;
  if (count > 0 && percent < 1) return "under 1 %";
  if (count < all && percent > 99) return "over 99 %";
  return `${Math.round(percent)} %`;
}

/** How far the links created in the range have come. Each number leads to exactly the links that it counts. */
export function LinkStages({
  money: { currency, links },
  range: { from, to },
}: {
  money: OverviewCurrency;
  range: { from: string; to: string };
}) {
  const { path } = useScope();
  if (links.created === 0) return null;
  const days = `created_from=${from}&created_to=${to}&currency=${currency}`;
  return (
    <Card
      title="How far payment links got"
      description={`Links created ${rangeLabel({ from, to })}, in ${currency}, as they are now. A payment recorded by hand counts as tried.`}
    >
      <ol aria-label="How far payment links got" className="-mx-2 grid gap-0.5">
        {stages.map(({ stage, label, filter }) => (
          <li
            key={stage}
            className="relative grid grid-cols-[7rem_1fr_auto] items-center gap-x-3 rounded-control px-2 py-1 has-[a:hover]:bg-sunken sm:grid-cols-[8rem_1fr_auto]"
          >
            <Link
              prefetch={false}
              href={path(`/payment-links?${days}${filter}`)}
              className="inline-flex min-h-6 items-center after:absolute after:inset-0 after:rounded-control"
            >
              {label}
            </Link>
            <span aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-sunken">
              <span
                className={`block h-full rounded-full ${stage === "paid" ? "bg-good" : "bg-accent"}`}
                style={{ width: `${(links[stage] / links.created) * 100}%` }}
              />
            </span>
            <span className="figures min-w-24 text-end">
              <span className="font-medium">{links[stage].toLocaleString("en-GB")}</span>
              {stage === "created" ? null : (
                <span className="text-fine text-muted">
                  {" "}
                  · {share(links[stage], links.created)}
                </span>
              )}
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
