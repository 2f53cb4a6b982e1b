import { dayOnly } from "@/lib/client/times";
import type { OverviewCurrency } from "@/lib/contract/overview";
import { onDemand } from "@/lib/kernel/on-demand";

type Days = OverviewCurrency["days"];

/** One bar of the chart and one row of its table. */
export type Bucket = {
  key: string;
  label: string;
  /** A short label, of its first day. */
  tick: string;
  collected: number;
  collected_count: number;
  failed_count: number;
};

const MAX_DAYS = 62;
const MAX_DAYS_IN_WEEKS = 26 * 7;

export const stepOf = (days: number): "day" | "week" | "month" =>
  days <= MAX_DAYS ? "day" : days <= MAX_DAYS_IN_WEEKS ? "week" : "month";

const shortDay = onDemand(
  () => new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short" }),
);
const shortMonth = onDemand(
  () => new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", month: "short", year: "numeric" }),
);

/** Groups days into days, weeks or months, so that the bars stay readable. The sums don't change. */
export function bucketsOf(days: Days): Bucket[] {
  const step = stepOf(days.length);
  const groups = new Map<string, Days>();
  days.forEach((one, index) => {
    const key =
      step === "day"
        ? one.day
        : step === "month"
          ? one.day.slice(0, 7)
          : String(Math.floor(index / 7));
    groups.set(key, [...(groups.get(key) ?? []), one]);
  });
  return [...groups.values()].map((group) => {
    const first = group[0]?.day ?? "";
    const sum = (name: "collected" | "collected_count" | "failed_count") =>
      group.reduce((all, one) => all + one[name], 0);
    return {
      key: first,
      label: labelOf(step, group),
      tick: (step === "month" ? shortMonth() : shortDay()).format(new Date(first)),
      collected: sum("collected"),
      collected_count: sum("collected_count"),
      failed_count: sum("failed_count"),
    };
  });
}

function labelOf(step: ReturnType<typeof stepOf>, group: Days): string {
  const first = new Date(group[0]?.day ?? "");
  if (step === "day") return shortDay().format(first);
  if (step === "month") return shortMonth().format(first);
  return `${shortDay().format(first)} to ${shortDay().format(new Date(group.at(-1)?.day ?? ""))}`;
}

/** "1 Nov 2026 to 30 Nov 2026", or the one day. */
export const rangeLabel = ({ from, to }: { from: string; to: string }): string =>
  from === to ? dayOnly(from) : `${dayOnly(from)} to ${dayOnly(to)}`;

/** Two to five steps of 1, 2 or 5 times a power of ten, from 0 to at least the largest amount. */
export function roundTicks(most: number): number[] {
  if (most <= 0) return [0];
  const power = 10 ** Math.floor(Math.log10(most / 4));
  const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one * 5 >= most) ?? most;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
}
