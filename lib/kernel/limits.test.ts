import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { provideEnv } from "@/lib/env";
import { consume, peek, reset, take } from "./limits";

beforeEach(() => {
  vi.useFakeTimers();
  provideEnv({ RATE_LIMIT_COST: "10", RATE_LIMIT_PAYER: "2" });
});
afterEach(() => vi.useRealTimers());

let callers = 0;
const someone = () => `caller-${++callers}`;

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => "allowed",
    (error: { status: number; options: { headers: Record<string, string> } }) => ({
      status: error.status,
      ...error.options.headers,
    }),
  );

test("a limit counts down, refuses with the seconds to wait, and starts again after its window", async () => {
  const who = someone();
  const left = async () => (await consume("payer_address", who))["x-ratelimit-remaining"];
  expect([await left(), await left()]).toEqual(["1", "0"]);
  vi.advanceTimersByTime(20_000);
  expect(await refusal(consume("payer_address", who))).toEqual({
    status: 429,
    "x-ratelimit-limit": "2",
    "x-ratelimit-remaining": "0",
    "retry-after": "40",
  });
  vi.advanceTimersByTime(40_000);
  expect(await left()).toBe("1");
});

test("a refused call takes nothing, so that a smaller one still passes", async () => {
  const who = someone();
  await consume("cost", who, 7);
  expect(await take("cost", who, 5)).toMatchObject({ allowed: false, remaining: 3 });
  expect(await take("cost", who, 3)).toMatchObject({ allowed: true, remaining: 0 });
});

test("calls at the same moment get no more than the limit", async () => {
  const who = someone();
  const answers = await Promise.all(Array.from({ length: 50 }, () => take("cost", who)));
  expect(answers.filter(({ allowed }) => allowed)).toHaveLength(10);
});

test("to peek takes nothing, and a reset gives everything back", async () => {
  const who = someone();
  expect(await peek("cost", who, 11)).toMatchObject({ allowed: false, remaining: 10 });
  await consume("cost", who, 10);
  expect(await peek("cost", who)).toMatchObject({ allowed: false, remaining: 0 });
  await reset("cost", who);
  expect(await peek("cost", who)).toMatchObject({ allowed: true, remaining: 10 });
});

test("limits and callers are counted apart; long names too", async () => {
  const long = "x".repeat(100_000);
  await consume("cost", `${long}1`, 10);
  expect(await peek("cost", `${long}1`)).toMatchObject({ allowed: false });
  expect(await peek("cost", `${long}2`)).toMatchObject({ allowed: true });
  expect(await peek("payer_address", `${long}1`)).toMatchObject({ allowed: true });
});

test("0 turns a limit off, and an unknown caller is not counted", async () => {
  expect(await consume("cost", undefined, 11)).toEqual({});
  provideEnv({ RATE_LIMIT_COST: "0" });
  expect(await consume("cost", someone(), 11)).toEqual({});
});
