export type Range = { from: string; to: string };
export type Preset = Range & { label: string };

const dayMs = 86_400_000;
const iso = (date: Date) => date.toISOString().slice(0, 10);

/** Ranges people ask for, as days of UTC (YYYY-MM-DD, both inclusive), since the API's days are UTC's. */
export function presets(now: Date): Preset[] {
  const today = iso(now);
  const back = (days: number) => iso(new Date(now.getTime() - days * dayMs));
  const month = (offset: number, day: number) => iso(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, day)));
  return [
    { label: "Today", from: today, to: today },
    { label: "Last 7 days", from: back(6), to: today },
    { label: "Last 30 days", from: back(29), to: today },
    { label: "This month", from: month(0, 1), to: today },
    { label: "Last month", from: month(-1, 1), to: month(0, 0) },
    { label: "Last 90 days", from: back(89), to: today },
  ];
}
