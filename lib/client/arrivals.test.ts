import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Arrived, createArrivals } from "./arrivals";
import type { Notice } from "./notices";

let visibilityState = "visible";
beforeEach(() => {
  visibilityState = "visible";
  vi.useFakeTimers();
  vi.stubGlobal("document", {
    get visibilityState() {
      return visibilityState;
    },
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const payment = (id: string, amount = 1250, currency = "MYR"): Arrived => ({
  _id: id,
  amount,
  currency,
  email: "ana@example.com",
  title: "Invoice 1042",
});

function screen(known: readonly Arrived[], own: readonly string[] = []) {
  const shown: Notice[] = [];
  const opened: (string | null)[] = [];
  const reads: string[][] = [];
  let marks = 0;
  const arrivals = createArrivals({
    read: async (ids) => {
      reads.push([...ids]);
      if (known.length === 0) throw new Error("offline");
      return known;
    },
    show: (notice) => void shown.push(notice),
    open: (id) => void opened.push(id),
    mark: () => void (marks += 1),
    isOwn: async (id) => own.includes(id),
  });
  return { arrivals, shown, opened, reads, marks: () => marks };
}

test("one payment is shown with amount and payer, and its button opens it", async () => {
  const { arrivals, shown, opened, marks } = screen([payment("a")]);
  arrivals.add("a");
  await vi.runAllTimersAsync();
  expect(shown).toMatchObject([
    { title: "MYR 12.50 from ana@example.com", description: "Invoice 1042" },
  ]);
  shown[0]?.action?.run();
  expect(opened).toEqual(["a"]);
  expect(marks()).toBe(1);
});

test("a hundred payments of a second are read a few times and shown as one, each currency by itself", async () => {
  const known = Array.from({ length: 100 }, (_, at) =>
    payment(`p${at}`, 100 + at, at % 4 ? "MYR" : "USD"),
  );
  const { arrivals, shown, opened, reads } = screen(known);
  for (const { _id } of known) {
    arrivals.add(_id);
    arrivals.add(_id);
    await vi.advanceTimersByTimeAsync(10);
  }
  await vi.runAllTimersAsync();
  expect(reads.length).toBeLessThanOrEqual(6);
  expect(new Set(shown.map(({ replaces }) => replaces)).size).toBe(1);
  const sum = (of: string) =>
    known.reduce((all, { amount, currency }) => all + (currency === of ? amount : 0), 0) / 100;
  expect(shown.at(-1)).toMatchObject({
    title: "100 payments arrived",
    description: `USD ${sum("USD").toFixed(2)} and MYR ${sum("MYR").toFixed(2)}`,
  });
  shown.at(-1)?.action?.run();
  expect(opened).toEqual([null]);
});

test("a closed notice is not counted in the next one", async () => {
  const { arrivals, shown } = screen([payment("a"), payment("b")]);
  arrivals.add("a");
  await vi.runAllTimersAsync();
  shown[0]?.onClose?.();
  arrivals.add("b");
  await vi.runAllTimersAsync();
  expect(shown.map(({ title }) => title)).toEqual(Array(2).fill("MYR 12.50 from ana@example.com"));
});

test("without an answer it says how many came, and guesses no sum", async () => {
  const { arrivals, shown } = screen([]);
  arrivals.add("a");
  await vi.runAllTimersAsync();
  arrivals.add("b");
  await vi.runAllTimersAsync();
  expect(shown.map(({ title, description }) => [title, description])).toEqual([
    ["A payment arrived", undefined],
    ["2 payments arrived", undefined],
  ]);
});

test("a hidden page reads nothing and marks its tab; it shows what came once it is seen", async () => {
  const { arrivals, shown, reads, marks } = screen([payment("a"), payment("b")]);
  visibilityState = "hidden";
  arrivals.add("a");
  arrivals.add("b");
  await vi.runAllTimersAsync();
  expect(reads).toEqual([]);
  expect(marks()).toBe(2);
  visibilityState = "visible";
  arrivals.plan();
  await vi.runAllTimersAsync();
  expect(shown).toMatchObject([{ title: "2 payments arrived", description: "MYR 25.00" }]);
  expect(marks()).toBe(2);
});

test("a payment that this page reports itself is neither shown nor marked", async () => {
  const { arrivals, shown, marks } = screen([payment("a")], ["a"]);
  arrivals.add("a");
  await vi.runAllTimersAsync();
  expect(shown).toEqual([]);
  expect(marks()).toBe(0);
});
