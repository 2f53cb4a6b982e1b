"use client";

import { type PointerEvent, useState } from "react";
import { currencyDigits } from "@/lib/kernel/currencies";
import { displayAmount } from "@/lib/kernel/money";
import { onDemand } from "@/lib/kernel/on-demand";
import { type Bucket, roundTicks } from "./buckets";

/** Labels below the bars: as many fit beside each other on a phone, and on wider screens. */
const FEW_LABELS = 5;
const compact = onDemand(
  () => new Intl.NumberFormat("en-GB", { notation: "compact", maximumFractionDigits: 1 }),
);

type ChartProps = { buckets: Bucket[]; currency: string };

/** Bars of what was collected. Only for the eye: the card around it has the totals as text and the rows as a table. */
export function Chart({ buckets, currency }: ChartProps) {
  const [at, setAt] = useState<number | null>(null);
  const ticks = roundTicks(Math.max(0, ...buckets.map(({ collected }) => collected)));
  const percent = (amount: number) => `${(100 * amount) / (ticks.at(-1) || 1)}%`;
  const major = (amount: number) =>
    compact().format(amount / 10 ** (currencyDigits(currency) ?? 2));
  const follow = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const index = Math.floor(((clientX - left) / width) * buckets.length);
    setAt(Math.min(Math.max(index, 0), buckets.length - 1));
  };
  const hovered = at === null ? undefined : buckets[at];
  return (
    <div className="flex h-full flex-col gap-2 pt-2 pl-11 text-fine text-muted">
      <div
        className="relative flex-1"
        onPointerDown={follow}
        onPointerMove={follow}
        onPointerLeave={() => setAt(null)}
      >
        {ticks.map((tick) => (
          <div
            key={tick}
            className="absolute inset-x-0 border-t border-line"
            style={{ bottom: percent(tick) }}
          >
            <span className="figures absolute right-full -translate-y-1/2 pr-2 whitespace-nowrap">
              {major(tick)}
            </span>
          </div>
        ))}
        <div className="absolute inset-0 flex">
          {buckets.map((one, index) => (
            <div
              key={one.key}
              className={`flex min-w-0 flex-1 items-end justify-center ${index === at ? "bg-line/50" : ""}`}
            >
              <div
                className={`w-5/6 max-w-9 rounded-t bg-accent ${one.collected > 0 ? "min-h-0.5" : ""}`}
                style={{ height: percent(one.collected) }}
              />
            </div>
          ))}
        </div>
        {at !== null && hovered ? (
          <Hovered bucket={hovered} currency={currency} share={(at + 0.5) / buckets.length} />
        ) : null}
      </div>
      <Labels buckets={buckets} />
    </div>
  );
}

function Labels({ buckets }: { buckets: Bucket[] }) {
  const few = 2 * Math.ceil(buckets.length / FEW_LABELS / 2);
  const shown = (index: number) =>
    index % few === 0 ? "" : index % (few / 2) === 0 ? "max-md:hidden" : "hidden";
  return (
    <div className="flex h-4">
      {buckets.map((one, index) => (
        <div key={one.key} className="flex min-w-0 flex-1 justify-center">
          <span className={`whitespace-nowrap ${shown(index)}`}>{one.tick}</span>
        </div>
      ))}
    </div>
  );
}

/** `share` of the way from the left: the same share of the note lies left of there, so it never leaves the chart. */
function Hovered({ bucket, currency, share }: { bucket: Bucket; currency: string; share: number }) {
  const { label, collected, collected_count: count, failed_count: failed } = bucket;
  return (
    <div
      className="pointer-events-none absolute top-0 rounded-control bg-surface px-3 py-2 whitespace-nowrap shadow-float"
      style={{ left: `${share * 100}%`, transform: `translateX(${-share * 100}%)` }}
    >
      <p>{label}</p>
      <p className="font-semibold text-ink">{displayAmount(collected, currency)}</p>
      <p>
        {count} payment{count === 1 ? "" : "s"}
        {failed > 0 ? `, ${failed} failed` : ""}
      </p>
    </div>
  );
}
