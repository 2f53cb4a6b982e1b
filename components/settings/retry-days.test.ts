import { expect, test } from "vitest";
import { daysFrom, daysText } from "./retry-days";

test("days are read as people write them", () => {
  expect(daysFrom("1, 3,5 7;")).toEqual([1, 3, 5, 7]);
  expect(daysFrom("")).toEqual([]);
  expect(daysText([1, 3])).toBe("1, 3");
});

test("what is no number is left for the contract to refuse", () => {
  expect(daysFrom("1, two, -3")).toEqual([1, "two", "-3"]);
});
