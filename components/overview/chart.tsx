"use client";

import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { displayAmount } from "@/lib/kernel/money";
import { currencyDigits } from "@/lib/kernel/currencies";
import { type Bucket, roundTicks } from "./buckets";

const compact = new Intl.NumberFormat("en-GB", { notation: "compact", maximumFractionDigits: 1 });

/** Bars of what was collected. Only for the eye: the card around it has the totals as text and the rows as a table. */
export default function Chart({ buckets, currency }: { buckets: Bucket[]; currency: string }) {
  const ticks = roundTicks(Math.max(0, ...buckets.map(({ collected }) => collected)));
  const major = (amount: number) => compact.format(amount / 10 ** (currencyDigits(currency) ?? 2));
  return (
    <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 600, height: 240 }}>
      <BarChart
        data={buckets}
        accessibilityLayer={false}
        margin={{ top: 8, right: 4, bottom: 0, left: 0 }}
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="label"
          axisLine={false}
          tickLine={false}
          minTickGap={24}
          tick={{ fill: "var(--muted)", fontSize: 12 }}
        />
        <YAxis
          width={44}
          axisLine={false}
          tickLine={false}
          tickFormatter={major}
          ticks={ticks}
          domain={[0, ticks.at(-1) ?? 0]}
          tick={{ fill: "var(--muted)", fontSize: 12 }}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: "var(--line)", opacity: 0.5 }}
          content={({ active, payload }) =>
            active ? <Hovered bucket={payload[0]?.payload} currency={currency} /> : null
          }
        />
        <Bar
          dataKey="collected"
          fill="var(--accent)"
          radius={[4, 4, 0, 0]}
          maxBarSize={36}
          isAnimationActive={false}
        />
      </BarChart>
    </ResponsiveContainer>
  );
}

function Hovered({ bucket, currency }: { bucket: Bucket | undefined; currency: string }) {
  if (!bucket) return null;
  return (
    <div className="rounded-control bg-surface px-3 py-2 text-fine shadow-float">
      <p className="text-muted">{bucket.label}</p>
      <p className="font-semibold">{displayAmount(bucket.collected, currency)}</p>
      <p className="text-muted">
        {payments(bucket.collected_count)}
        {bucket.failed_count > 0 ? `, ${bucket.failed_count} failed` : ""}
      </p>
    </div>
  );
}

const payments = (count: number) => `${count} payment${count === 1 ? "" : "s"}`;
