export type Range = { from: string; to: string };
export type Preset = Range & { label: string };

/** `YYYY-MM-DD`, a day that exists. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && iso(new Date(text)) === text;

/** The first moment of a day in the viewer's zone, or its last, as the API takes it; what is no day stays as it is. */
export function momentOfDay(day: string, end: boolean): string {
  if (!isDay(day)) return day;
  const moment = new Date(`${day}T00:00:00`);
  if (!end) return moment.toISOString();
  moment.setDate(moment.getDate() + 1);
  // The API counts in millionths of a second.
  return new Date(moment.getTime() - 1).toISOString().replace("Z", "999Z");
}

const dayMs = 86_400_000;
const iso = (date: Date) => date.toISOString().slice(0, 10);

/** The day (YYYY-MM-DD) that it is in a zone at a moment. */
export const dayIn = (timeZone: string | undefined, now: Date): string =>
  new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  }).format(now);

/** Ranges people ask for, as days of a zone (YYYY-MM-DD, both inclusive); by default the viewer's. */
export function presets(now: Date, timeZone?: string): Preset[] {
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
