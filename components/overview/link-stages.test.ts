import { expect, test } from "vitest";
import { share } from "./link-stages";

test.each([
  [0, 12, "0 %"],
  [3, 12, "25 %"],
  [1, 3, "33 %"],
  [12, 12, "100 %"],
  [1, 1_000, "under 1 %"],
  [999, 1_000, "over 99 %"],
])("%i of %i are %s", (count, all, words) => {
  expect(share(count, all)).toBe(words);
});
