import { expect, onTestFinished, test, vi } from "vitest";
import { createBatch } from "@/lib/contract/operations";
import { underKeptKey } from "./kept-keys";
import { ApiProblem } from "./problem";

const lost = new ApiProblem(502, "unreadable", "Something went wrong on our side.");
const refused = new ApiProblem(409, "conflict", "2 payment links match now, not 3.");
const keys: string[] = [];
const press = (business: string, problem?: ApiProblem, query = {}) =>
  underKeptKey(
    { scope: { business, mode: "test" }, endpoint: createBatch, input: { query } },
    (key) => {
      keys.push(key);
      return problem ? Promise.reject(problem) : Promise.resolve("done");
    },
  ).catch((error: unknown) => (error as ApiProblem).message);

test("a call without an answer is sent again under its key until it is answered; the next wish has another", async () => {
  keys.length = 0;
  await press("extend", lost);
  await press("extend", new ApiProblem(0, "network", "Kutip cannot be reached."));
  await press("remind");
  expect(await press("extend")).toBe("done");
  expect(await press("extend")).toBe("done");
  const [first, second, other, third, next] = keys;
  expect([second, third]).toEqual([first, first]);
  expect(new Set([first, other, next]).size).toBe(3);
});

test("a refusal ends the wish, and calls at the same time are two", async () => {
  keys.length = 0;
  expect(await press("cancel", refused)).toBe(refused.message);
  await Promise.all([press("cancel"), press("cancel")]);
  expect(new Set(keys).size).toBe(3);
});

test.each([
  new ApiProblem(401, "unauthenticated", "Unauthenticated."),
  new ApiProblem(403, "forbidden", "Your role does not allow this."),
  new ApiProblem(422, "invalid_data", "The given data was invalid.", { days: ["Too many."] }),
  new ApiProblem(429, "too_many_requests", "Too many requests."),
])(
  "a refusal with $status says nothing of an earlier call without an answer: its key is kept",
  async (early) => {
    keys.length = 0;
    await press("extend", lost);
    expect(await press("extend", early)).toBe(early.message);
    await press("extend");
    expect(new Set(keys).size).toBe(1);
  },
);

test("a conflict with what the business holds ends the wish of an earlier call too", async () => {
  keys.length = 0;
  await press("cancel", lost);
  await press("cancel", refused);
  await press("cancel");
  const [first, second, next] = keys;
  expect(second).toBe(first);
  expect(next).not.toBe(first);
});

test("another wish while an earlier one is open is named as such, and is sent once that is known", async () => {
  keys.length = 0;
  await press("send", lost);
  const running = new ApiProblem(409, "idempotency_in_progress", "Still running.");
  expect(await press("send", running)).toMatch(/^The earlier request is still/);
  const used = new ApiProblem(422, "invalid_data", "The given data was invalid.", {
    idempotency_key: ["The idempotency key was already used with another request body."],
  });
  expect(await press("send", used)).toMatch(/^An earlier request, which had no answer/);
  expect(await press("send")).toBe("done");
  const [first, second, third, next] = keys;
  expect([second, third]).toEqual([first, first]);
  expect(next).not.toBe(first);
});

test("a call for other rows than an earlier one that is open is not sent before the person knows of it", async () => {
  keys.length = 0;
  const first = { reference_2: "TRIP", created_to: "2026-11-29T01:00:00Z" };
  const later = { reference_2: "TRIP", created_to: "2026-11-29T02:00:00Z" };
  await press("extend", lost, first);
  expect(await press("extend", undefined, later)).toMatch(/^An earlier request had no answer/);
  expect(keys).toHaveLength(1);
  expect(await press("extend", undefined, later)).toBe("done");
  expect(new Set(keys).size).toBe(2);
});

test("a press minutes after the last one without an answer is another wish", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  keys.length = 0;
  await press("send", lost);
  vi.advanceTimersByTime(4 * 60_000);
  await press("send", lost);
  vi.advanceTimersByTime(4 * 60_000);
  await press("send", lost);
  expect(new Set(keys).size).toBe(1);
  vi.advanceTimersByTime(10 * 60_000);
  expect(await press("send", undefined, { reference_2: "TRIP" })).toBe("done");
  expect(new Set(keys).size).toBe(2);
});
