import { expect, test } from "vitest";
import { bucketsOf } from "./buckets";

const dayMs = 86_400_000;
const days = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    day: new Date(Date.UTC(2026, 10, 21) + index * dayMs).toISOString().slice(0, 10),
    collected: index * 100,
    collected_count: 1,
    failed_count: index % 2,
  }));

test.each([
  [1, 1],
  [30, 30],
  [62, 62],
  [63, 9],
  [182, 26],
  [183, 7],
  [731, 25],
])("%i days make %i bars, and no money is lost", (count, bars) => {
  const given = days(count);
  const made = bucketsOf(given);
  expect(made).toHaveLength(bars);
  for (const name of ["collected", "collected_count", "failed_count"] as const) {
    expect(made.reduce((all, one) => all + one[name], 0)).toBe(
      given.reduce((all, one) => all + one[name], 0),
    );
  }
});

test("a bar is called by its day, its week or its month", () => {
  expect(bucketsOf(days(2)).map(({ label }) => label)).toEqual(["21 Nov", "22 Nov"]);
  expect(bucketsOf(days(70))[0]?.label).toBe("21 Nov to 27 Nov");
  expect(bucketsOf(days(400))[1]?.label).toBe("Dec 2026");
});
