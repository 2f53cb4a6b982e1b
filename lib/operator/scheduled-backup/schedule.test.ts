import { expect, test } from "vitest";
import { nextBackup } from "./schedule";

const next = (now: string, hours: number, minutes: number) =>
  nextBackup(new Date(now), hours, minutes).toISOString();

test.each([
  ["2026-11-25T01:59:59.999Z", 24, 120, "2026-11-25T02:00:00.000Z"],
  ["2026-11-25T02:00:00.000Z", 24, 120, "2026-11-26T02:00:00.000Z"],
  ["2026-11-25T05:00:00.000Z", 6, 120, "2026-11-25T08:00:00.000Z"],
  ["2026-11-25T23:30:00.000Z", 1, 15, "2026-11-26T00:15:00.000Z"],
])("after %s, every %d hours from minute %d, the next is %s", (now, hours, minutes, expected) => {
  expect(next(now, hours, minutes)).toBe(expected);
});

test("a weekly backup is due once in seven days", () => {
  const first = next("2026-11-25T00:00:00Z", 168, 120);
  expect(Date.parse(next(first, 168, 120)) - Date.parse(first)).toBe(7 * 86_400_000);
});
