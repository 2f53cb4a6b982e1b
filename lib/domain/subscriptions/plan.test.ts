import { expect, test } from "vitest";
import { mayBeCharged } from "./plan";

const subscription = { id: "a", anchor: "2026-01-02", testClockId: null };

test.each([
  ["before the day begins anywhere", "2026-01-01T09:59:59.000Z", false],
  ["when it has started in Kiritimati", "2026-01-01T10:00:01.000Z", true],
  ["after it", "2026-01-04T00:00:00.000Z", true],
])(
  "a period may have been charged before a restore that came %s, in whichever zone the business was: %s",
  (_, restoredAt, expected) => {
    expect(mayBeCharged({ restoredAt, subscription }, "2026-01-02")).toBe(expected);
  },
);

test("without a restore, and under a test clock, none was", () => {
  expect(mayBeCharged({ restoredAt: null, subscription }, "2026-01-02")).toBe(false);
  const restoredAt = "2026-01-04T00:00:00.000Z";
  const followsClock = { ...subscription, testClockId: "clock" };
  expect(mayBeCharged({ restoredAt, subscription: followsClock }, "2026-01-02")).toBe(false);
});
