import { expect, test } from "vitest";
import { bucketsOf, roundTicks } from "./buckets";

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
  expect(bucketsOf(days(70))[0]?.tick).toBe("21 Nov");
  expect(bucketsOf(days(400))[1]).toMatchObject({ label: "Dec 2026", tick: "Dec 2026" });
});

test("the chart's lines are at round amounts that hold the largest bar, few of them", () => {
  expect(roundTicks(2_600)).toEqual([0, 1_000, 2_000, 3_000]);
  expect(roundTicks(0)).toEqual([0]);
  for (let most = 1; most < 10 ** 9; most = Math.ceil(most * 1.37)) {
    const ticks = roundTicks(most);
    const step = ticks[1] ?? 0;
    expect([most, ticks.length >= 2 && ticks.length <= 6]).toEqual([most, true]);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(most);
    expect([1, 2, 5]).toContain(Math.round(step / 10 ** Math.floor(Math.log10(step))));
  }
});
