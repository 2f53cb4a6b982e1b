// A zone may be written in any case of its letters.
const MAX_CLOCKS = 1_000;
const clocks = new Map<string, Intl.DateTimeFormat>();

/** What the clocks of a zone show at a moment (milliseconds), in full seconds and as if it were UTC. */
export function wallClock(moment: number, timeZone: string): number {
  let clock = clocks.get(timeZone);
  if (!clock) {
    clock = new Intl.DateTimeFormat("sv-SE", {
      timeZone,
      dateStyle: "short",
      timeStyle: "medium",
    });
    if (clocks.size >= MAX_CLOCKS) clocks.clear();
    clocks.set(timeZone, clock);
  }
  const shown = Date.parse(`${clock.format(moment).padStart(19, "0").replace(" ", "T")}Z`);
  // Years of five digits cannot be read so; no zone matters there.
  return Number.isNaN(shown) ? moment : shown;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const MAX_HOURS = 10_000;

/** An hour of UTC on the clocks of a zone: the two hours that it is in, and the minute at which it begins there. */
type LocalHour = { first: string; second: string; minute: number };

const textOf = (shown: number): string =>
  new Date(shown).toISOString().slice(0, 19).replace("T", " ");

/** Null where the clocks change within the hour, or show other seconds than UTC. */
function localHour(hour: string, timeZone: string): LocalHour | null {
  const begin = Date.parse(`${hour}:00:00Z`);
  const last = begin + HOUR_MS - 1_000;
  const shown = wallClock(begin, timeZone);
  if (wallClock(last, timeZone) - last !== shown - begin || shown % MINUTE_MS !== 0) return null;
  const [first, second] = [shown, shown + HOUR_MS].map((one) => textOf(one).slice(0, 13));
  return { first: first ?? "", second: second ?? "", minute: new Date(shown).getUTCMinutes() };
}

/**
 * Writes ISO 8601 UTC moments as the clocks of a zone show them, "2026-11-01 00:30:00": the form that spreadsheet programs read as a time.
 * For many moments: each hour is computed once, and its moments are put together from texts, which takes a tenth of a date's time.
 */
export function localTimes(timeZone: string): (iso: string) => string {
  const hours = new Map<string, LocalHour | null>();
  return (iso) => {
    const key = iso.slice(0, 13);
    let hour = hours.get(key);
    if (hour === undefined) {
      if (hours.size >= MAX_HOURS) hours.clear();
      hour = localHour(key, timeZone);
      hours.set(key, hour);
    }
    if (hour === null) return textOf(wallClock(Date.parse(iso), timeZone));
    if (hour.minute === 0) return hour.first + iso.slice(13, 19);
    const minute = hour.minute + Number(iso.slice(14, 16));
    const within = String(minute % 60).padStart(2, "0");
    return `${minute < 60 ? hour.first : hour.second}:${within}${iso.slice(16, 19)}`;
  };
}
