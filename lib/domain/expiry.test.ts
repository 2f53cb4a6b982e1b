import fc from "fast-check";
import { expect, test } from "vitest";
import { laterExpiry } from "./expiry";

const clockIn = (zone: string, moment: string) =>
  new Intl.DateTimeFormat("sv", { timeZone: zone, dateStyle: "short", timeStyle: "medium" })
    .format(new Date(moment))
    .split(" ");
const daysApart = (from = "", to = "") => (Date.parse(to) - Date.parse(from)) / 86_400_000;

test("an expiry moves by whole days and keeps its time of day, except where clocks skip that time", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("Asia/Kuala_Lumpur", "Europe/Lisbon", "America/New_York", "Pacific/Apia"),
      fc.date({ min: new Date("2012-01-01"), max: new Date("2040-01-01"), noInvalidDate: true }),
      fc.integer({ min: 1, max: 366 }),
      (zone, date, days) => {
        const moment = `${date.toISOString().slice(0, 19)}.123456Z`;
        const later = laterExpiry(moment, days, zone);
        const [dayBefore, timeBefore] = clockIn(zone, moment);
        const [day, time] = clockIn(zone, later);
        expect(later.slice(19)).toBe(".123456Z");
        if (time === timeBefore) expect(daysApart(dayBefore, day)).toBe(days);
        else {
          const nearby = [-1, 1].map((hours) =>
            clockIn(zone, new Date(Date.parse(later) + hours * 3_600_000).toISOString()),
          );
          expect(nearby.map(([, at]) => at)).not.toContain(timeBefore);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test("no expiry lies behind the end of the calendar", () => {
  expect(laterExpiry("2999-12-30T00:00:00.000000Z", 366, "UTC")).toBe(
    "2999-12-31T23:59:59.999999Z",
  );
});
