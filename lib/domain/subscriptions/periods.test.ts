import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calendar, frequencies } from "@/lib/contract/values";
import { addDays, dayIn, daysLater, periodEnd, periodOf, periodStart, startOfDay } from "./periods";

const starts = (anchor: string, frequency: (typeof frequencies)[number], count: number) =>
  Array.from({ length: count }, (_, number) => periodStart(anchor, frequency, number));

describe("the first days of periods", () => {
  it("31 January is clamped to each month's end and comes back", () => {
    expect(starts("2027-01-31", "monthly", 6)).toEqual([
      "2027-01-31",
      "2027-02-28",
      "2027-03-31",
      "2027-04-30",
      "2027-05-31",
      "2027-06-30",
    ]);
    expect(starts("2028-01-30", "monthly", 3)).toEqual(["2028-01-30", "2028-02-29", "2028-03-30"]);
  });

  it("29 February is 28 February in other years and comes back in a leap year", () => {
    expect(starts("2028-02-29", "yearly", 5)).toEqual([
      "2028-02-29",
      "2029-02-28",
      "2030-02-28",
      "2031-02-28",
      "2032-02-29",
    ]);
    expect(periodStart("2096-02-29", "yearly", 4)).toBe("2100-02-28");
  });

  it("each frequency has its own step", () => {
    const second = Object.fromEntries(
      frequencies.map((frequency) => [frequency, periodStart("2027-08-31", frequency, 1)]),
    );
    expect(second).toEqual({
      daily: "2027-09-01",
      weekly: "2027-09-07",
      biweekly: "2027-09-14",
      monthly: "2027-09-30",
      quarterly: "2027-11-30",
      half_yearly: "2028-02-29",
      yearly: "2028-08-31",
    });
  });
});

describe("the first moment of a day", () => {
  it.each([
    ["Asia/Kuala_Lumpur", "2027-01-31", "2027-01-30T16:00:00.000000Z"],
    ["America/New_York", "2027-03-14", "2027-03-14T05:00:00.000000Z"],
    ["America/New_York", "2027-03-15", "2027-03-15T04:00:00.000000Z"],
    ["America/New_York", "2027-11-07", "2027-11-07T04:00:00.000000Z"],
    ["America/New_York", "2027-11-08", "2027-11-08T05:00:00.000000Z"],
    // Clocks jump from 24:00 to 01:00: the day begins at 01:00.
    ["Africa/Cairo", "2027-04-30", "2027-04-29T22:00:00.000000Z"],
    // 01:00 becomes 00:00: of two midnights the first.
    ["America/Havana", "2027-11-07", "2027-11-07T04:00:00.000000Z"],
    ["Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00.000000Z"],
    ["UTC", "2028-02-29", "2028-02-29T00:00:00.000000Z"],
  ])("%s %s", (zone, day, moment) => expect(startOfDay(zone, day)).toBe(moment));

  it("a moment's day is the zone's, not UTC's", () => {
    expect(dayIn("Asia/Kuala_Lumpur", "2027-01-30T15:59:59.999999Z")).toBe("2027-01-30");
    expect(dayIn("Asia/Kuala_Lumpur", "2027-01-30T16:00:00.000000Z")).toBe("2027-01-31");
    expect(dayIn("America/Los_Angeles", "2027-01-31T07:59:59.000000Z")).toBe("2027-01-30");
  });
});

it("days later keep the fraction of a second", () => {
  expect(daysLater("2027-01-31T10:00:00.123456Z", 3)).toBe("2027-02-03T10:00:00.123456Z");
});

const zones = Intl.supportedValuesOf("timeZone");
const anchors = fc
  .integer({ min: 0, max: 365 * 40 })
  .map((offset) => addDays("2024-01-01", offset));

it("over decades, anchors and frequencies the periods leave no gap and do not overlap, and never drift from the anchor's day", () => {
  fc.assert(
    fc.property(
      anchors,
      fc.constantFrom(...frequencies),
      fc.integer({ min: 0, max: 600 }),
      (anchor, frequency, number) => {
        const start = periodStart(anchor, frequency, number);
        const end = periodEnd(anchor, frequency, number);
        expect(start <= end).toBe(true);
        expect(addDays(end, 1)).toBe(periodStart(anchor, frequency, number + 1));
        expect([periodOf(anchor, frequency, start), periodOf(anchor, frequency, end)]).toEqual([
          number,
          number,
        ]);
        if (["daily", "weekly", "biweekly"].includes(frequency)) return;
        const [day, lastOfMonth] = [Number(start.slice(8)), addDays(start, 1).endsWith("-01")];
        expect(
          day === Number(anchor.slice(8)) || (lastOfMonth && day < Number(anchor.slice(8))),
        ).toBe(true);
      },
    ),
    { numRuns: 2_000 },
  );
});

it("from any day that may be given, whatever is counted on to the end of the calendar stays in four digits", () => {
  const length = (Date.parse(calendar.last) - Date.parse(calendar.first)) / 86_400_000;
  const days = fc
    .oneof(
      fc.integer({ min: 0, max: length }),
      fc.integer({ min: 0, max: 400 }),
      fc.integer({ min: length - 400, max: length }),
    )
    .map((offset) => addDays(calendar.first, offset));
  fc.assert(
    fc.property(
      days,
      days,
      fc.constantFrom(...frequencies),
      fc.constantFrom(...zones),
      (one, other, frequency, zone) => {
        const [anchor = one, day = one] = [one, other].sort();
        const number = periodOf(anchor, frequency, day);
        const next = startOfDay(zone, periodStart(anchor, frequency, number + 1));
        const counted = [
          periodStart(anchor, frequency, number),
          periodEnd(anchor, frequency, number + 1),
          startOfDay(zone, anchor),
          dayIn(zone, next),
          daysLater(next, 60),
        ];
        for (const text of counted) expect(text).toMatch(/^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/);
      },
    ),
    { numRuns: 2_000 },
  );
});

it("in every zone a day begins once, after the day before, and its first moment is of that day", () => {
  fc.assert(
    fc.property(fc.constantFrom(...zones), anchors, (zone, day) => {
      const start = startOfDay(zone, day);
      expect(dayIn(zone, start)).toBe(day);
      expect(dayIn(zone, new Date(Date.parse(start) - 1).toISOString()) < day).toBe(true);
      expect(startOfDay(zone, addDays(day, 1)) > start).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
