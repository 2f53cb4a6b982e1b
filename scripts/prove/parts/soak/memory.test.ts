import { expect, test } from "vitest";
import { growthOf, memoryOf, type Sample } from "./memory";

const samplesOf = (bytesAt: (at: number) => number, pidAt = (_: number) => 1): Sample[] =>
  Array.from({ length: 101 }, (_, at) => ({ atMs: at, pid: pidAt(at), bytes: bytesAt(at) }));
const [FIRST, LAST] = [[0.4, 0.5] as const, [0.9, 1] as const];

test("memory that is used and freed again has not grown", () => {
  const { share } = growthOf(
    samplesOf((at) => 100 + (at % 5)),
    FIRST,
    LAST,
  );
  expect(Math.abs(share)).toBeLessThan(0.05);
});

test("a leak is the growth between the two windows, however large the start was", () => {
  const { firstBytes, lastBytes, share } = growthOf(
    samplesOf((at) => (at < 10 ? 1_000 : 100 + at)),
    FIRST,
    LAST,
  );
  expect([firstBytes, lastBytes]).toEqual([145, 195]);
  expect(share).toBeCloseTo(50 / 145);
});

test("a process that was started again cannot hide its growth", () => {
  const samples = samplesOf(
    () => 100,
    (at) => (at < 95 ? 1 : 2),
  );
  expect(() => growthOf(samples, FIRST, LAST)).toThrow("started again");
});

test("a window without a sample is no proof", () => {
  expect(() => growthOf([], FIRST, LAST)).toThrow("no samples");
});

test("the memory of this process is more than its heap, and that of none is unknown", () => {
  expect(memoryOf(process.pid)).toBeGreaterThan(process.memoryUsage().heapUsed / 2);
  expect(memoryOf(2 ** 30)).toBeUndefined();
});
