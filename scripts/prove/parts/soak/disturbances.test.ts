import { expect, test } from "vitest";
import { disturb, type Tally } from "./disturbances";
import { randomFrom } from "./random";

const NAMES = ["a", "b", "c", "d", "e", "f"];

/** The order in which they come until so many have come. */
async function orderOf(seed: number, until: number): Promise<{ order: string[]; tally: Tally }> {
  const order: string[] = [];
  const tally: Tally = new Map();
  await disturb(
    NAMES.map((name) => ({ name, run: async () => void order.push(name) })),
    tally,
    {
      random: randomFrom(seed, "order"),
      pauseSeconds: [0, 0],
      isOver: () => order.length >= until,
    },
  );
  return { order, tally };
}

test("a seed repeats the order, and another one has another", async () => {
  const [one, same, other] = await Promise.all([orderOf(1, 24), orderOf(1, 24), orderOf(2, 24)]);
  expect(same.order).toEqual(one.order);
  expect(other.order).not.toEqual(one.order);
});

test("each comes once even where the time is over at once, and is counted", async () => {
  const { order, tally } = await orderOf(3, 0);
  expect([...order].sort()).toEqual(NAMES);
  expect([...tally.values()].map(({ count }) => count)).toEqual(NAMES.map(() => 1));
});

test("each comes once before any comes again", async () => {
  const { order } = await orderOf(4, 10);
  expect(order).toHaveLength(10);
  expect([...order.slice(0, 6)].sort()).toEqual(NAMES);
  expect(new Set(order.slice(6)).size).toBe(4);
});
