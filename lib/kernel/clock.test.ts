import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isoMicros, isoOf, metaTimestamp } from "@/lib/kernel/clock";

describe("moments", () => {
  test.each([
    ["2026-11-20 13:34:45.423258+00", "2026-11-20T13:34:45.423258Z"],
    ["2026-11-20 13:34:45+00", "2026-11-20T13:34:45.000000Z"],
    ["2026-11-20 13:34:45.4+00", "2026-11-20T13:34:45.400000Z"],
    ["2026-11-20T13:34:45.423258+00:00", "2026-11-20T13:34:45.423258Z"],
    ["2026-11-20T13:34:45Z", "2026-11-20T13:34:45.000000Z"],
  ])("%s is %s", (text, iso) => expect(isoMicros(text)).toBe(iso));
  test("a database session outside UTC is an error, not a wrong time", () => {
    expect(() => isoMicros("2026-11-20 21:34:45.423258+08")).toThrow("UTC");
  });
  test("what is written can be read again unchanged", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true }),
        (date) => {
          expect(isoOf(date)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
          expect(isoMicros(isoOf(date))).toBe(isoOf(date));
          expect(new Date(isoOf(date)).getTime()).toBe(date.getTime());
        },
      ),
    );
  });
  test("an answer's timestamp is the second in UTC, also when asked for an earlier one", () => {
    expect(metaTimestamp(Date.parse("2026-11-20T13:34:45.999Z"))).toBe("2026-11-20 13:34:45 UTC");
    expect(metaTimestamp(Date.parse("2026-11-20T13:34:46.000Z"))).toBe("2026-11-20 13:34:46 UTC");
    expect(metaTimestamp(Date.parse("2026-11-20T13:34:45.000Z"))).toBe("2026-11-20 13:34:45 UTC");
  });
});
