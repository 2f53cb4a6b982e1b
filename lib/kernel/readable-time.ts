// A zone may be written in any case of its letters.
const MAX_FORMATS = 1_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-GB", {
      timeZone,
      day: "numeric",
      month: "long",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
    if (formats.size >= MAX_FORMATS) formats.clear();
    formats.set(timeZone, format);
  }
  return format;
}

/** "20 November 2026, 14:03 UTC" from an ISO 8601 UTC moment; with a zone "20 November 2026, 22:03 Kuala Lumpur time (14:03 UTC)". */
export function readableTime(iso: string, timeZone?: string | null): string {
  const moment = new Date(iso);
  const parts = (zone: string) => {
    const found = new Map(
      formatIn(zone)
        .formatToParts(moment)
        .map(({ type, value }) => [type, value]),
    );
    return {
      day: `${found.get("day")} ${found.get("month")} ${found.get("year")}`,
      time: `${found.get("hour")}:${found.get("minute")}`,
    };
  };
  const utc = parts("UTC");
  if (!timeZone || timeZone === "UTC") return `${utc.day}, ${utc.time} UTC`;
  const local = parts(timeZone);
  const city = (timeZone.split("/").at(-1) ?? timeZone).replaceAll("_", " ");
  const utcText = local.day === utc.day ? utc.time : `${utc.day}, ${utc.time}`;
  return `${local.day}, ${local.time} ${city} time (${utcText} UTC)`;
}

/** "20 November 2026" from an ISO 8601 UTC moment: its day in a zone. */
export function readableDayIn(iso: string, timeZone: string): string {
  const found = new Map(
    formatIn(timeZone)
      .formatToParts(new Date(iso))
      .map(({ type, value }) => [type, value]),
  );
  return `${found.get("day")} ${found.get("month")} ${found.get("year")}`;
}

/** "20 November 2026" from a day, `YYYY-MM-DD`. */
export const readableDay = (day: string): string => readableDayIn(`${day}T00:00:00Z`, "UTC");

/** "November 2026" from a month, `YYYY-MM`. */
export const readableMonth = (month: string): string => readableDay(`${month}-01`).slice(2);
