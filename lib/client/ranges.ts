import { wallClock } from "@/lib/kernel/wall-clock";

export type Range = { from: string; to: string };
export type Preset = Range & { label: string };

/** `YYYY-MM-DD`, a day that exists. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && iso(new Date(text)) === text;

const dayMs = 86_400_000;

/** The first moment of a day in a zone, or its last, as the API takes it; what is no day stays as it is. */
export function momentOfDay(day: string, end: boolean, timeZone: string): string {
  if (!isDay(day)) return day;
  if (!end) return new Date(beginOfDay(Date.parse(day), timeZone)).toISOString();
  // The API counts in millionths of a second.
  const last = beginOfDay(Date.parse(day) + dayMs, timeZone) - 1;
  return new Date(last).toISOString().replace("Z", "999Z");
}

/** "2026-11-30" or "2026-11-30T14:30:00" on the clocks of a zone as a moment; a day alone is its end. What names a zone or is neither stays as it is. */
export function momentIn(text: string, timeZone: string): string {
  if (isDay(text)) return momentOfDay(text, true, timeZone);
  const local = Date.parse(`${text.replace(" ", "T")}Z`);
  // Alone, `Date.parse` takes 30 February for 2 March.
  const isMoment = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?$/.test(text) && isDay(text.slice(0, 10));
  if (!isMoment || Number.isNaN(local)) return text;
  // The first guess may be off by an hour on the day of a change of the clocks.
  const near = local - (wallClock(local, timeZone) - local);
  return new Date(near - (wallClock(near, timeZone) - local)).toISOString();
}

/** When a day begins in a zone. The overview's sums use the same rule: the first of two midnights, and without a midnight the change of the clocks. */
function beginOfDay(day: number, timeZone: string): number {
  const [before, after] = [day - dayMs, day + dayMs].map(
    (moment) => day - (wallClock(moment, timeZone) - moment),
  ) as [number, number];
  const midnights = [before, after].filter((moment) => wallClock(moment, timeZone) === day);
  return midnights.length === 0 ? before : Math.min(...midnights);
}

const iso = (date: Date) => date.toISOString().slice(0, 10);

/** The day (YYYY-MM-DD) that it is in a zone at a moment. */
export const dayIn = (timeZone: string, now: Date): string =>
  new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  }).format(now);

/** Ranges people ask for, as days of a zone (YYYY-MM-DD, both inclusive). */
export function presets(now: Date, timeZone: string): Preset[] {
  const today = dayIn(timeZone, now);
  const start = new Date(today);
  const back = (days: number) => iso(new Date(start.getTime() - days * dayMs));
  const month = (offset: number, day: number) =>
    iso(new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + offset, day)));
  return [
    { label: "Today", from: today, to: today },
    { label: "Last 7 days", from: back(6), to: today },
    { label: "Last 30 days", from: back(29), to: today },
    { label: "This month", from: month(0, 1), to: today },
    { label: "Last month", from: month(-1, 1), to: month(0, 0) },
    { label: "Last 90 days", from: back(89), to: today },
  ];
}

/** By days: the name under which they were chosen, null where they were chosen by hand. */
const chosen = new Map<string, string | null>();
const daysOf = ({ from, to }: Range) => `${from} ${to}`;

/** Remembers under which name days were chosen: on some days two names mean the same days. */
export function rememberName(preset: Preset): void {
  chosen.set(daysOf(preset), preset.label);
}

/** Remembers that days were chosen by hand: they have no name, also while a name means the same days. */
export function rememberDays(range: Range): void {
  chosen.set(daysOf(range), null);
}

/** The range that two days are called: by the name that was chosen, if any. Else it is the month, the last of any that mean the same. */
export function presetOf(range: Range, now: Date, timeZone: string): Preset | undefined {
  const days = daysOf(range);
  if (chosen.get(days) === null) return undefined;
  const same = presets(now, timeZone).filter((preset) => daysOf(preset) === days);
  return same.find(({ label }) => label === chosen.get(days)) ?? same.at(-1);
}
