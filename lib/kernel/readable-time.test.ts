import { expect, test } from "vitest";
import { readableDay, readableDayIn, readableTime } from "./readable-time";

test("a moment reads in UTC", () => {
  expect(readableTime("2026-11-20T14:03:09.123456Z")).toBe("20 November 2026, 14:03 UTC");
  expect(readableTime("2026-01-01T00:00:00.000000Z", "UTC")).toBe("1 January 2026, 00:00 UTC");
});

test("a day reads the same in every zone", () => {
  expect(readableDay("2028-02-29")).toBe("29 February 2028");
});

test("the business's zone leads, and UTC says its own day when that is another", () => {
  expect(readableTime("2026-11-20T14:03:09.123456Z", "Asia/Kuala_Lumpur")).toBe(
    "20 November 2026, 22:03 Kuala Lumpur time (14:03 UTC)",
  );
  expect(readableTime("2026-11-20T18:03:09.123456Z", "Asia/Kuala_Lumpur")).toBe(
    "21 November 2026, 02:03 Kuala Lumpur time (20 November 2026, 18:03 UTC)",
  );
});

test("the day of a moment is that of the zone", () => {
  expect(readableDayIn("2026-12-02T16:00:00.000000Z", "Asia/Kuala_Lumpur")).toBe("3 December 2026");
  expect(readableDayIn("2026-12-02T15:59:59.999999Z", "Asia/Kuala_Lumpur")).toBe("2 December 2026");
  expect(readableDayIn("2026-12-02T16:00:00.000000Z", "UTC")).toBe("2 December 2026");
});
