import { dayIn, isDay, momentIn } from "./ranges";
import { dayOnly } from "./times";

type Part = "day" | "month" | "year";

/** How a reader takes a date: the day that "today" is (YYYY-MM-DD), and the order of numbers in a date; undefined where day and month may be either way. */
export type DateReading = { today: string; order: readonly Part[] | undefined };

const months =
  "january february march april may june july august september october november december".split(
    " ",
  );
const dayMs = 86_400_000;
const fromToday: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };
const weekday = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[,.]? +/;
const numbers = /^(\d{1,4})([-/. ])(\d{1,2})\2(\d{1,4})$/;
const dayFirst = /^(\d{1,2})(?:st|nd|rd|th)?[ .-]*([a-z]{3,})[., -]*(\d{4}|\d{2})$/;
const monthFirst = /^([a-z]{3,})[. -]*(\d{1,2})(?:st|nd|rd|th)?(?:, *| +)(\d{4}|\d{2})$/;
const time =
  /^(.*?\S)(?: *, *| +at +| +|(?<=\d)t)(\d{1,2})(?::(\d\d)(?::\d\d)? *([ap]m)?| *([ap]m))$/;

/** The order of day, month and year in a locale, by default the viewer's. */
export const dayOrder = (locale?: string): Part[] =>
  new Intl.DateTimeFormat(locale, { day: "numeric", month: "numeric", year: "numeric" })
    .formatToParts(0)
    .flatMap(({ type }) => (type === "day" || type === "month" || type === "year" ? [type] : []));

/** Zones of people who write the month first, and those that say nothing about a place. */
const monthFirstZones =
  /^(UTC|GMT|Etc\/.*|US\/.*|Asia\/Manila|Pacific\/(Honolulu|Guam|Saipan|Pago_Pago)|America\/(New_York|Chicago|Denver|Phoenix|Los_Angeles|Anchorage|Detroit|Boise|Juneau|Sitka|Nome|Adak|Menominee|Metlakatla|Yakutat|Indianapolis|Louisville|Puerto_Rico|Panama|(Indiana|Kentucky|North_Dakota)\/.*))$/;

/** The order of the viewer's locale. American browsers are used everywhere: elsewhere in the world their order is no proof, and it is undefined. */
export function trustedOrder(timeZone: string, locale?: string): Part[] | undefined {
  const order = dayOrder(locale);
  return order[0] === "month" && !monthFirstZones.test(timeZone) ? undefined : order;
}

/** How this viewer writes dates; "today" is that of a zone. */
export const readingIn = (timeZone: string): DateReading => ({
  today: dayIn(timeZone, new Date()),
  order: trustedOrder(timeZone),
});

const inNumbers = /^(\d{1,2})([-/. ])(\d{1,2})\2\d{2,4}\b/;

/**
 * Reads the dates of one column, as `momentIn` answers; what is no date stays as it is. A column has one order: where a first number can only
 * be a day, all first numbers are days.
 */
export function columnReader(texts: readonly string[], timeZone: string): (text: string) => string {
  const pairs = texts.flatMap((text) => {
    const found = inNumbers.exec(text.trim());
    return found ? [[Number(found[1]), Number(found[3])] as const] : [];
  });
  const dayLeads = pairs.some(([first]) => first > 12);
  const monthLeads = pairs.some(([, second]) => second > 12);
  const viewers = readingIn(timeZone);
  const reading: DateReading =
    dayLeads === monthLeads
      ? viewers
      : { ...viewers, order: dayLeads ? ["day", "month", "year"] : ["month", "day", "year"] };
  return (text) => {
    const isIso = /^\s*\d{4}-\d\d-\d\d/.test(text);
    const read = isIso ? undefined : readDay(text, reading) || readDayTime(text, reading, "");
    return momentIn(read || text, timeZone);
  };
}

/** A day as a field shows one for an example, so many days from now. */
export const exampleDay = (ahead: number): string =>
  dayOnly(new Date(Date.now() + ahead * dayMs).toISOString().slice(0, 10));

/** "21 Nov 2026", "21/11/2026", "2026-11-21" or "tomorrow" as YYYY-MM-DD; undefined for what is no day, or could be two. */
export const readDay = (text: string, reading: DateReading): string | undefined =>
  findDay(text, reading)?.day;

/** Whether a text, with a time or without, names a day that no calendar has, such as 31 Feb 2026. */
export function isNoDay(text: string, reading: DateReading): boolean {
  const found = findDay(time.exec(plain(text))?.[1] ?? text, reading);
  return found !== undefined && found.day === undefined;
}

/** What is written as a day; `day` is left out where there is no such day. */
type Found = { day?: string };

function findDay(text: string, { today, order }: DateReading): Found | undefined {
  const written = plain(text).replace(weekday, "");
  const away = Object.hasOwn(fromToday, written) ? fromToday[written] : undefined;
  if (away !== undefined)
    return { day: new Date(Date.parse(today) + away * dayMs).toISOString().slice(0, 10) };
  const named = dayFirst.exec(written) ?? swapped(monthFirst.exec(written));
  if (named) {
    const [, day, month, year] = named as unknown as [string, string, string, string];
    return dayOf(year, 1 + months.findIndex((name) => name.startsWith(month)), Number(day));
  }
  const found = numbers.exec(written);
  if (!found) return undefined;
  const [, a, , b, c] = found as unknown as [string, string, string, string, string];
  if (a.length === 4) return c.length > 2 ? undefined : dayOf(a, Number(b), Number(c));
  if (a.length > 2 || c.length % 2 === 1) return undefined;
  const [x, y] = [Number(a), Number(b)];
  const yearFirst = order?.[0] === "year";
  if (yearFirst && c.length === 2) return undefined;
  // A number above 12 is the day everywhere.
  if (x > 12 || y > 12 || x === y) return y > 12 ? dayOf(c, x, y) : dayOf(c, y, x);
  // Where the year comes first, 3/4/2026 has no order.
  if (!order || yearFirst) return undefined;
  const monthLeads = order.indexOf("month") < order.indexOf("day");
  return monthLeads ? dayOf(c, x, y) : dayOf(c, y, x);
}

/** A day with its time, "21 Nov 2026, 18:00" or "tomorrow 6pm", as `YYYY-MM-DDTHH:MM`; a day alone has the time `bare`. */
export function readDayTime(text: string, reading: DateReading, bare: string): string | undefined {
  const timed = time.exec(plain(text));
  const day = readDay(timed?.[1] ?? text, reading);
  const clock = timed ? clockOf(timed) : bare;
  return day && clock && `${day}T${clock}`;
}

const plain = (text: string) => text.trim().toLowerCase().replace(/\s+/g, " ");

const swapped = (found: RegExpExecArray | null) =>
  found && [found[0], found[2], found[1], found[3]];

function dayOf(year: string, month: number, day: number): Found | undefined {
  if (month < 1) return undefined;
  const two = (part: number) => String(part).padStart(2, "0");
  const iso = `${year.length === 2 ? `20${year}` : year}-${two(month)}-${two(day)}`;
  return isDay(iso) ? { day: iso } : {};
}

function clockOf([, , hours, minutes = "00", late, alone]: RegExpExecArray): string | undefined {
  const half = late ?? alone;
  const written = Number(hours);
  if (half && (written < 1 || written > 12)) return undefined;
  const hour = half ? (written % 12) + (half === "pm" ? 12 : 0) : written;
  if (hour > 23 || Number(minutes) > 59) return undefined;
  return `${String(hour).padStart(2, "0")}:${minutes}`;
}
