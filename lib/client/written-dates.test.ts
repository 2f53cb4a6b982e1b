import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { momentIn } from "./ranges";
import { absoluteTime, dayOnly } from "./times";
import {
  columnReader,
  dayOrder,
  isNoDay,
  readDay,
  readDayTime,
  trustedOrder,
} from "./written-dates";

const british = { today: "2026-11-23", order: dayOrder("en-GB") };
const american = { today: "2026-11-23", order: dayOrder("en-US") };
const swedish = { today: "2026-11-23", order: dayOrder("sv-SE") };
const moments = fc
  .date({ min: new Date("2000-01-01"), max: new Date("2999-12-31"), noInvalidDate: true })
  .map((date) => new Date(Math.floor(date.getTime() / 60_000) * 60_000));

describe("a written day", () => {
  test("is read back from every text that the dashboard shows, in every order of numbers", () => {
    fc.assert(
      fc.property(moments, fc.constantFrom(british, american, swedish), (moment, reading) => {
        const iso = moment.toISOString();
        const day = iso.slice(0, 10);
        expect(readDay(dayOnly(iso, "UTC"), reading)).toBe(day);
        expect(readDay(day, reading)).toBe(day);
        expect(readDayTime(absoluteTime(iso, "UTC"), reading, "23:59")).toBe(iso.slice(0, 16));
        expect(readDayTime(iso.slice(0, 16), reading, "23:59")).toBe(iso.slice(0, 16));
      }),
    );
  });

  test("has its numbers in the order of the viewer's locale", () => {
    fc.assert(
      fc.property(
        moments,
        fc.constantFrom("en-GB", "en-US", "de-DE", "pt-BR"),
        (moment, locale) => {
          const written = new Intl.DateTimeFormat(locale, {
            timeZone: "UTC",
            day: "numeric",
            month: "numeric",
            year: "numeric",
          }).format(moment);
          const reading = { today: "2026-11-23", order: dayOrder(locale) };
          expect(readDay(written, reading), written).toBe(moment.toISOString().slice(0, 10));
        },
      ),
    );
  });

  test.each([
    ["21 Nov 2026", "2026-11-21"],
    ["Sat, 21 November 2026", "2026-11-21"],
    ["Nov 21, 2026", "2026-11-21"],
    ["21st sept 26", "2026-09-21"],
    ["21.11.2026", "2026-11-21"],
    ["11/21/2026", "2026-11-21"],
    ["3/4/2026", "2026-04-03"],
    ["  TOMORROW ", "2026-11-24"],
    ["yesterday", "2026-11-22"],
  ])("%s is %s", (written, day) => expect(readDay(written, british)).toBe(day));

  test.each([
    "",
    "30 Feb 2026",
    "31/4/2026",
    "21/13/2026",
    "21 Nov",
    "21/11-2026",
    "soon",
    "constructor",
    "01312031",
    "21 Nov 20267",
    "1/2/026",
  ])("“%s” is none", (written) => {
    expect(readDay(written, british)).toBeUndefined();
    expect(readDayTime(written, british, "23:59")).toBeUndefined();
  });

  test.each(["31 Feb 2026", "31/4/2026 18:00", "2026-02-31", "32 Jan 2026, 6pm", "Feb 30, 2027"])(
    "“%s” names no day of any calendar",
    (written) => expect(isNoDay(written, british)).toBe(true),
  );

  test.each(["", "soon", "28 Feb 2026", "3/4", "31 Foo 2026", "tomorrow"])(
    "“%s” is not said to be missing from the calendar",
    (written) => expect(isNoDay(written, british)).toBe(false),
  );

  test("that could be two days is not said to be missing from the calendar", () => {
    expect(isNoDay("3/4/2026", swedish)).toBe(false);
  });

  test("in an American browser elsewhere in the world is asked for with a word, unless only one reading is a day", () => {
    const reading = (zone: string) => ({ today: "2026-11-23", order: trustedOrder(zone, "en-US") });
    const abroad = reading("Asia/Kuala_Lumpur");
    expect(readDay("2/12/2026", abroad)).toBeUndefined();
    expect(readDayTime("2/12/2026 18:00", abroad, "23:59")).toBeUndefined();
    expect(readDay("2 Dec 2026", abroad)).toBe("2026-12-02");
    expect(readDay("13/12/2026", abroad)).toBe("2026-12-13");
    expect(readDay("12/13/26", abroad)).toBe("2026-12-13");
    expect(readDay("5/5/2026", abroad)).toBe("2026-05-05");
    expect(readDay("2/12/2026", reading("America/New_York"))).toBe("2026-02-12");
    expect(readDay("2/12/2026", reading("UTC"))).toBe("2026-02-12");
    expect(trustedOrder("Asia/Kuala_Lumpur", "en-GB")?.[0]).toBe("day");
  });

  test("of which nobody can say which number is the month is none", () => {
    expect(readDay("3/4/2026", american)).toBe("2026-03-04");
    expect(readDay("3/4/2026", swedish)).toBeUndefined();
    expect(readDay("13/4/2026", swedish)).toBe("2026-04-13");
    expect(readDay("4/4/2026", swedish)).toBe("2026-04-04");
  });
});

test.each([
  ["21 Nov 2026, 18:00", "2026-11-21T18:00"],
  ["21 Nov 2026 6pm", "2026-11-21T18:00"],
  ["tomorrow at 12:30 am", "2026-11-24T00:30"],
  ["today 12pm", "2026-11-23T12:00"],
  ["21/11/2026 9:05", "2026-11-21T09:05"],
  ["21 Nov 2026", "2026-11-21T23:59"],
])("%s is the moment %s", (written, moment) =>
  expect(readDayTime(written, british, "23:59")).toBe(moment),
);

test.each(["21 Nov 2026 24:00", "21 Nov 2026 13pm", "21 Nov 2026 0am", "tomorrow 9:60", "18:00"])(
  "%s is no moment",
  (written) => expect(readDayTime(written, british, "23:59")).toBeUndefined(),
);

test.each([
  "2026-02-30T10:00",
  "2026-02-30 10:00",
  "2026-02-30T10:00:00",
  "2026-02-29",
  "2026-04-31T00:00",
])("%s of an import is no day of any calendar, and stays as it is written", (written) => {
  for (const zone of ["UTC", "Asia/Kuala_Lumpur"]) {
    expect(momentIn(written, zone)).toBe(written);
    expect(columnReader([written], zone)(written)).toBe(written);
  }
});
