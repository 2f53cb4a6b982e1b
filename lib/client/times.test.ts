import { describe, expect, test, vi } from "vitest";
import { momentOfDay, presets } from "./ranges";
import { absoluteTime, dayOnly, momentOf, relativeTime, utcTime } from "./times";

const moment = "2026-11-20T23:34:45.423258Z";

test("a moment reads in the viewer's zone, and in UTC beside it", () => {
  expect(absoluteTime(moment, "Asia/Kuala_Lumpur")).toBe("21 Nov 2026, 07:34");
  expect(utcTime(moment)).toBe("2026-11-20 23:34:45 UTC");
});

test("a bare day is the same day in every zone", () => {
  expect(dayOnly("2026-11-20", "America/Los_Angeles")).toBe("20 Nov 2026");
});

test("how long ago", () => {
  const now = Date.parse("2026-11-20T23:40:00Z");
  expect(relativeTime(moment, now)).toBe("5 minutes ago");
  expect(relativeTime("2026-11-20T23:39:58Z", now)).toBe("just now");
  expect(relativeTime("2026-11-23T23:40:00Z", now)).toBe("in 3 days");
});

test("what is entered as a moment becomes one in UTC, and what a browser's field allows beyond that is left to the contract", () => {
  expect(momentOf("2026-11-20T23:34")).toBe(new Date(2026, 10, 20, 23, 34).toISOString());
  for (const none of ["", "202711-01-31T12:00"]) expect(momentOf(none)).toBe(none);
});

test("presets are whole days of a zone, both ends inclusive", () => {
  const known = Object.fromEntries(
    presets(new Date("2026-03-01T23:59:00Z"), "UTC").map(({ label, from, to }) => [
      label,
      [from, to],
    ]),
  );
  expect(known["Last 7 days"]).toEqual(["2026-02-23", "2026-03-01"]);
  expect(known["Last month"]).toEqual(["2026-02-01", "2026-02-28"]);
  expect(known["This month"]).toEqual(["2026-03-01", "2026-03-01"]);
});

describe("a day of a zone, whatever the viewer's is", () => {
  test.each(["UTC", "America/Los_Angeles", "Asia/Kuala_Lumpur"])("seen from %s", (viewer) => {
    vi.stubEnv("TZ", viewer);
    const day = (text: string, zone: string) => [
      momentOfDay(text, false, zone),
      momentOfDay(text, true, zone),
    ];
    expect(day("2026-11-20", "Pacific/Pago_Pago")).toEqual([
      "2026-11-20T11:00:00.000Z",
      "2026-11-21T10:59:59.999999Z",
    ]);
    // 25 hours; in Cairo no midnight; in Havana two of them.
    expect(day("2026-10-25", "Europe/Berlin")).toEqual([
      "2026-10-24T22:00:00.000Z",
      "2026-10-25T22:59:59.999999Z",
    ]);
    expect(momentOfDay("2026-04-24", false, "Africa/Cairo")).toBe("2026-04-23T22:00:00.000Z");
    expect(momentOfDay("2026-11-01", false, "America/Havana")).toBe("2026-11-01T04:00:00.000Z");
    vi.unstubAllEnvs();
  });

  test.each(["x", "2026-02-31", "", "2026-11-20T00:00:00Z"])("%j is no day and stays", (other) =>
    expect(momentOfDay(other, true, "Asia/Kuala_Lumpur")).toBe(other),
  );

  test.each(["0000-01-01", "0001-01-01", "9999-12-31"])("%s, far away, is a moment", (day) => {
    for (const zone of ["America/Los_Angeles", "Asia/Kuala_Lumpur"])
      for (const end of [false, true])
        expect(Date.parse(momentOfDay(day, end, zone))).not.toBeNaN();
  });
});
