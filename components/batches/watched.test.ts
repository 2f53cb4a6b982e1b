import { expect, test } from "vitest";
import { getWatched, seeOpen, takeEnd } from "./watched";

const test1001 = { business: "1001", mode: "test" } as const;
const live1001 = { business: "1001", mode: "live" } as const;
const ids = () => getWatched().map(({ id }) => id);

test("the end of a batch is news once, even if an older list shows it open again", () => {
  seeOpen("once", test1001, 0);
  expect(ids()).toContain("once");
  expect(takeEnd("once", 1_000)).toBe(true);
  seeOpen("once", test1001, 1_100);
  expect(ids()).not.toContain("once");
  expect(takeEnd("once", 1_200)).toBe(false);
});

test("the end is news within a minute after the batch was last seen open", () => {
  seeOpen("long", test1001, 0);
  seeOpen("long", test1001, 600_000);
  expect(takeEnd("long", 659_000)).toBe(true);
  seeOpen("late", test1001, 0);
  expect(takeEnd("late", 60_000)).toBe(false);
});

test("a batch is watched for the business and mode that it was seen in", () => {
  seeOpen("elsewhere", live1001, 0);
  expect(getWatched().find(({ id }) => id === "elsewhere")?.scope).toEqual(live1001);
  expect(takeEnd("unknown", 0)).toBe(false);
});
