import { expect, test } from "vitest";
import { atLeast, atMost, line, median, tableOf } from "./table.mjs";

test("a goal is met at its limit and missed beyond it", () => {
  expect(atLeast("rate", 300, 300, "/s").met).toBe(true);
  expect(atLeast("rate", 300, 299.9, "/s").met).toBe(false);
  expect(atMost("time", 50, 50, "ms").met).toBe(true);
  expect(atMost("time", 50, 50.1, "ms").met).toBe(false);
});

test("what could not be measured is missed", () => {
  expect(atLeast("rate", 300, median([]), "/s").met).toBe(false);
  expect(atMost("time", 50, Number.NaN, "ms").met).toBe(false);
});

test("the table has each line with its goal, its result and whether it was met", () => {
  const lines = [
    atLeast("get, against the floor", 1, 0.914, "×"),
    atMost("memory", 650, 495.3, "MB"),
    line("list", "p50 ≤ 1.2×", "p50 1.1 → 1.2 ms", true),
  ];
  expect(tableOf(lines)).toBe(
    [
      "| | Goal | Result | Met |",
      "| --- | --- | --- | --- |",
      "| get, against the floor | ≥ 1× | 0.91× | no |",
      "| memory | ≤ 650 MB | 495 MB | yes |",
      "| list | p50 ≤ 1.2× | p50 1.1 → 1.2 ms | yes |",
    ].join("\n"),
  );
});
