const formats = new Map<string, Intl.DateTimeFormat>();

function format(
  kind: string,
  timeZone: string | undefined,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const key = `${kind} ${timeZone ?? ""}`;
  let found = formats.get(key);
  if (!found) {
    found = new Intl.DateTimeFormat("en-GB", { ...options, timeZone });
    formats.set(key, found);
  }
  return found;
}

const day = { day: "numeric", month: "short", year: "numeric" } as const;
const long = { weekday: "long", day: "numeric", month: "long", year: "numeric" } as const;
const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

/** "20 Nov 2026, 21:34" in a zone, by default the viewer's. Takes an ISO 8601 moment. */
export const absoluteTime = (iso: string, timeZone?: string): string =>
  format("absolute", timeZone, { ...day, ...clock }).format(new Date(iso));

/** "20 Nov 2026". A bare day (YYYY-MM-DD) stays that day in every zone. */
export const dayOnly = (iso: string, timeZone?: string): string =>
  format("day", /^\d{4}-\d\d-\d\d$/.test(iso) ? "UTC" : timeZone, day).format(new Date(iso));

/** "Friday 20 November 2026". Takes a bare day (YYYY-MM-DD). */
export const dayInWords = (day: string): string =>
  format("day in words", "UTC", long)
    .format(new Date(day))
    .replace(/^(\p{L}+),/u, "$1");

/** "Friday 20 November 2026, 21:34" in the viewer's zone. Takes an ISO 8601 moment. */
export const momentInWords = (iso: string): string =>
  format("moment in words", undefined, { ...long, ...clock })
    .format(new Date(iso))
    .replace(" at ", ", ")
    .replace(/^(\p{L}+),/u, "$1");

/** "2026-11-20 13:34:45 UTC". */
export const utcTime = (iso: string): string =>
  `${new Date(iso).toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** What a field for a moment in the viewer's zone holds, as ISO 8601 in UTC; what is no moment stays as it is, for the contract to refuse. */
export function momentOf(local: string): string {
  const moment = new Date(local);
  return Number.isNaN(moment.getTime()) ? local : moment.toISOString();
}

const steps: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
let relative: Intl.RelativeTimeFormat | undefined;

/** "5 minutes ago", "in 3 days", "just now". `now` in milliseconds. */
export function relativeTime(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1_000;
  relative ??= new Intl.RelativeTimeFormat("en-GB", { numeric: "auto" });
  for (const [unit, size] of steps)
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  return "just now";
}
