import { expect, test } from "vitest";
import { hasWords } from "./changes";

test.each([
  ["Cancelled by An", "An", true],
  ["An Nguyễn cancelled it", "An Nguyễn", true],
  ["Cancelled", "An", false],
  ["Change of plan", "an", false],
  ["Created by Joanna Lee", "Anna Lee", false],
  ["Created by API key Web shop", "API key Web shop", true],
])("the title %j says the name %j: %j", (title, name, said) => {
  expect(hasWords(title, name)).toBe(said);
});
