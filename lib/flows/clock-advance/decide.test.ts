import { expect, test } from "vitest";
import { type Decision, decide, type Facts } from "./decide";

const time = "2031-01-31T00:00:00.000000Z";
const later = "2031-02-28T00:00:00.000000Z";
const facts: Facts = { dueAt: later, time, ranInSlice: 0, ranInAll: 0, isSliceOver: false };

test.each<[string, Partial<Facts>, Decision]>([
  ["a period runs at its own time", {}, { kind: "run", time: later }],
  ["the clock never goes back", { dueAt: time, time: later }, { kind: "run", time: later }],
  ["a period that is due at once runs at the clock's time", { dueAt: null }, { kind: "run", time }],
  ["without a period the advance ends", { dueAt: undefined }, { kind: "finish" }],
  [
    "it ends without one also where it would pause",
    { dueAt: undefined, ranInAll: 100 },
    { kind: "finish" },
  ],
  ["the last period of a slice runs", { ranInSlice: 9 }, { kind: "run", time: later }],
  ["a slice ends after its periods", { ranInSlice: 10 }, { kind: "yield" }],
  ["a slice ends after its time", { ranInSlice: 1, isSliceOver: true }, { kind: "yield" }],
  ["the last period before the pause runs", { ranInAll: 99 }, { kind: "run", time: later }],
  ["an advance pauses after too many", { ranInSlice: 10, ranInAll: 100 }, { kind: "pause" }],
])("%s", (_promise, more, decision) => {
  expect(decide({ ...facts, ...more }, { slicePeriods: 10, pauseAfter: 100 })).toEqual(decision);
});
