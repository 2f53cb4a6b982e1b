import { expect, test } from "vitest";
import { localTimes } from "./wall-clock";

test.each([
  ["UTC", "2026-10-31T16:30:00.000000Z", "2026-10-31 16:30:00"],
  ["Asia/Kuala_Lumpur", "2026-10-31T16:30:00.999999Z", "2026-11-01 00:30:00"],
  ["Asia/Kathmandu", "2026-12-31T18:15:00.000000Z", "2027-01-01 00:00:00"],
  ["America/St_Johns", "2026-03-01T03:29:59.000000Z", "2026-02-28 23:59:59"],
  // Clocks go forward by an hour.
  ["Europe/Berlin", "2026-03-29T00:59:59.999999Z", "2026-03-29 01:59:59"],
  ["Europe/Berlin", "2026-03-29T01:00:00.000000Z", "2026-03-29 03:00:00"],
  // Two moments an hour apart, at the same time of day.
  ["Europe/Berlin", "2026-10-25T00:30:00.000000Z", "2026-10-25 02:30:00"],
  ["Europe/Berlin", "2026-10-25T01:30:00.000000Z", "2026-10-25 02:30:00"],
  // Clocks go forward by half an hour, within an hour of UTC.
  ["Australia/Lord_Howe", "2026-10-03T15:29:59.000000Z", "2026-10-04 01:59:59"],
  ["Australia/Lord_Howe", "2026-10-03T15:30:00.000000Z", "2026-10-04 02:30:00"],
  // Midnight that does not exist.
  ["Africa/Cairo", "2026-04-23T22:00:00.000000Z", "2026-04-24 01:00:00"],
  ["Asia/Tokyo", "2999-12-31T14:59:59.000000Z", "2999-12-31 23:59:59"],
  ["America/New_York", "1970-01-01T00:00:00.000000Z", "1969-12-31 19:00:00"],
])("the clocks of %s show %s as %s", (zone, moment, shown) => {
  expect(localTimes(zone)(moment)).toBe(shown);
});

test("moments of one hour, and of more hours than are kept, are each shown in their own offset", () => {
  const local = localTimes("Australia/Lord_Howe");
  const change = Date.parse("2026-10-03T15:30:00Z");
  const at = (moment: number) => local(new Date(moment).toISOString());
  const around = () => [-1_000, 0, 1_000].map((distance) => at(change + distance).slice(11));
  expect(around()).toEqual(["01:59:59", "02:30:00", "02:30:01"]);
  for (let hour = 0; hour < 10_001; hour += 1) at(change + hour * 3_600_000);
  expect(around()).toEqual(["01:59:59", "02:30:00", "02:30:01"]);
});
