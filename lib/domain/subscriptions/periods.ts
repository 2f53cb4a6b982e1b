import { tzOffset } from "@date-fns/tz";
import type { Frequency } from "@/lib/contract/values";

/** A day of the calendar, `YYYY-MM-DD`, in a zone that is named beside it. */
export type Day = string;

const dayMs = 86_400_000;
const months: Partial<Record<Frequency, number>> = {
  monthly: 1,
  quarterly: 3,
  half_yearly: 6,
  yearly: 12,
};
const days: Partial<Record<Frequency, number>> = { daily: 1, weekly: 7, biweekly: 14 };

const noon = (day: Day) => Date.parse(`${day}T00:00:00Z`);
const dayOf = (ms: number): Day => new Date(ms).toISOString().slice(0, 10);

/** The day so many days later. */
export const addDays = (day: Day, count: number): Day => dayOf(noon(day) + count * dayMs);

// Always from the anchor, never from the period before: 31 January, 28 February, 31 March.
function addMonths(anchor: Day, count: number): Day {
  const [year = 0, month = 1, day = 1] = anchor.split("-").map(Number);
  const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate();
  return dayOf(Date.UTC(year, month - 1 + count, Math.min(day, last)));
}

/** First day of period `number`, counted from 0 at the anchor. */
export function periodStart(anchor: Day, frequency: Frequency, number: number): Day {
  const step = months[frequency];
  return step === undefined
    ? addDays(anchor, number * (days[frequency] ?? 1))
    : addMonths(anchor, number * step);
}

/** Last day of period `number`: the one before the next begins. */
export const periodEnd = (anchor: Day, frequency: Frequency, number: number): Day =>
  addDays(periodStart(anchor, frequency, number + 1), -1);

/** The number of the period that holds a day; 0 for days before the anchor. */
export function periodOf(anchor: Day, frequency: Frequency, day: Day): number {
  const step = months[frequency];
  const apart =
    step === undefined
      ? (noon(day) - noon(anchor)) / dayMs / (days[frequency] ?? 1)
      : monthsBetween(anchor, day) / step;
  let number = Math.max(0, Math.floor(apart));
  // A clamped start can lie one period off the plain count, to either side.
  while (number > 0 && periodStart(anchor, frequency, number) > day) number--;
  while (periodStart(anchor, frequency, number + 1) <= day) number++;
  return number;
}

function monthsBetween(from: Day, to: Day): number {
  const [y1 = 0, m1 = 0] = from.split("-").map(Number);
  const [y2 = 0, m2 = 0] = to.split("-").map(Number);
  return (y2 - y1) * 12 + m2 - m1;
}

const offsetMs = (zone: string, ms: number) => Math.round(tzOffset(zone, new Date(ms)) * 60_000);

/** Which day a moment (ISO 8601 UTC) is in a zone. */
export function dayIn(zone: string, moment: string): Day {
  const ms = Date.parse(moment);
  return dayOf(ms + offsetMs(zone, ms));
}

/** The first moment of a day in a zone, ISO 8601 UTC: 00:00, or where the clocks skip it, the moment they jump to. */
export function startOfDay(zone: string, day: Day): string {
  const asUtc = noon(day);
  const offsets = [asUtc - dayMs, asUtc + dayMs]
    .map((ms) => offsetMs(zone, ms))
    .sort((a, b) => b - a);
  const midnight = offsets
    .map((offset) => asUtc - offset)
    .find((ms) => ms + offsetMs(zone, ms) === asUtc);
  return `${new Date(midnight ?? jumpInto(zone, day, asUtc)).toISOString().slice(0, 19)}.000000Z`;
}

// No midnight: the day begins where the clocks jump into it or past it.
function jumpInto(zone: string, day: Day, asUtc: number): number {
  let [before, after] = [asUtc - 2 * dayMs, asUtc + 2 * dayMs];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dayOf(middle + offsetMs(zone, middle)) >= day) after = middle;
    else before = middle;
  }
  return after;
}

/** A moment so many days of 24 hours later, both ISO 8601 UTC with six digits. */
export function daysLater(moment: string, count: number): string {
  return `${new Date(Date.parse(moment) + count * dayMs).toISOString().slice(0, 19)}${moment.slice(19)}`;
}
