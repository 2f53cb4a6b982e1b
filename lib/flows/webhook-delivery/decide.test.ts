import { expect, test } from "vitest";
import { type Decision, decide } from "./decide";

const ok = { status: 200, error: null };
const refused = { status: 500, error: "It answered 500." };
const silent = { status: null, error: "The connection could not be made in time." };
const gone = { status: 410, error: "It answered 410." };

test.each<[string, Parameters<typeof decide>[0], number, boolean, Decision]>([
  ["a success is delivered", ok, 0, false, { kind: "delivered" }],
  ["a success on the last try is delivered", ok, 2, false, { kind: "delivered" }],
  ["a refusal is tried again", refused, 0, false, { kind: "retry", seconds: 5 }],
  ["no answer is tried again, later each time", silent, 1, false, { kind: "retry", seconds: 60 }],
  ["after the last try it is exhausted", refused, 2, false, { kind: "exhausted" }],
  ["a test event is tried once", refused, 0, true, { kind: "exhausted" }],
  ["410 says that the endpoint is gone", gone, 0, false, { kind: "gone" }],
  ["410 counts on the last try and for a test event too", gone, 2, true, { kind: "gone" }],
])("%s", (_promise, answer, tries, isTest, decision) => {
  const testEvent = isTest ? "event" : null;
  expect(decide(answer, { tries, testEvent } as never, [5, 60])).toEqual(decision);
});
