import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { batch, flushBatches, rowBatch } from "./batch";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function recorded(write: () => Promise<void> = () => Promise.resolve(), length = 1) {
  const statements: number[][] = [];
  const written = (some: number[]) => {
    statements.push(some);
    return write();
  };
  const rows = rowBatch<number>("rows", written, () => length);
  return { rows, statements };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

test("a burst of 1,000 reads is written within two seconds, ten at a time and in order", async () => {
  const { rows, statements } = recorded();
  for (const row of upTo(1_000)) rows.note(true, () => row);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(statements.flat()).toEqual(upTo(1_000));
  expect(Math.max(...statements.map((some) => some.length))).toBe(10);
});

test("of a flood of reads it keeps 1,000 and 250 more each second", async () => {
  const { rows, statements } = recorded();
  for (let passed = 0; passed < 10_000; passed += 10) {
    for (const row of upTo(20)) rows.note(true, () => row);
    await vi.advanceTimersByTimeAsync(10);
  }
  await vi.advanceTimersByTimeAsync(2_000);
  const kept = statements.flat().length;
  expect(kept).toBeGreaterThan(3_400);
  expect(kept).toBeLessThanOrEqual(3_500);
});

test("what was changed or refused is kept during a flood of reads, until 20,000 rows wait", async () => {
  const { rows, statements } = recorded();
  for (const row of upTo(5_000)) rows.note(true, () => row);
  for (const row of upTo(25_000)) rows.note(false, () => 100_000 + row);
  await vi.advanceTimersByTimeAsync(60_000);
  const changes = statements.flat().filter((row) => row >= 100_000);
  expect(changes).toEqual(upTo(19_000).map((row) => 100_000 + row));
});

test("rows with long texts wait only up to 64 million characters, and others come when some are written", async () => {
  const { rows, statements } = recorded(undefined, 1_000_000);
  for (const row of upTo(100)) rows.note(false, () => row);
  await vi.advanceTimersByTimeAsync(2_000);
  rows.note(false, () => 100);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(statements.flat()).toEqual([...upTo(64), 100]);
});

test("at the end all that waits is written, 200 rows to a statement and one statement at a time", async () => {
  let running = 0;
  let most = 0;
  const { rows, statements } = recorded(async () => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
  });
  for (const row of upTo(1_050)) rows.note(false, () => row);
  await Promise.all([flushBatches(), flushBatches(), vi.advanceTimersByTimeAsync(20)]);
  expect(statements.flat()).toEqual(upTo(1_050));
  expect(Math.max(...statements.map((some) => some.length))).toBe(200);
  expect(most).toBe(1);
});

test.each([
  ["fails", () => Promise.reject(new Error("no connection"))],
  [
    "cannot be made",
    () => {
      throw new Error("no text");
    },
  ],
])("a statement that %s loses its own rows only", async (_, fail) => {
  let count = 0;
  const { rows, statements } = recorded(() => (++count === 1 ? fail() : Promise.resolve()));
  for (const row of upTo(25)) rows.note(false, () => row);
  await vi.advanceTimersByTimeAsync(200);
  expect(statements.map((some) => some.length)).toEqual([10, 10, 5]);
});

test("no timer runs while nothing waits", async () => {
  const { rows } = recorded();
  rows.note(true, () => 1);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(vi.getTimerCount()).toBe(0);
});

test("notes of a write that failed, and those that it left out, are written with the next ones", async () => {
  const writes: string[][] = [];
  const { note } = batch("notes", async (rows) => {
    const time = writes.push(rows.map(({ id }) => id));
    if (time === 1) throw new Error("no connection");
    return time === 2 ? rows.filter(({ id }) => id === "b") : [];
  });
  for (const id of ["a", "b", "a"]) note({ businessId: 1, id });
  await vi.advanceTimersByTimeAsync(2_000);
  note({ businessId: 1, id: "c" });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(writes).toEqual([["a", "b"], ["a", "b", "c"], ["b"]]);
});
