import { expect, test } from "vitest";
import { sumsNote } from "./words";

test.each([
  ["", "", null],
  ["fee", "", "“For” doesn’t change these sums."],
  ["", "fees", "“Account” doesn’t change these sums."],
  ["fee", "fees", "“For” and “Account” don’t change these sums."],
])("a journal of %j in %j says what does not change its sums", (kind, account, note) => {
  expect(sumsNote({ kind, account })).toBe(note);
});
