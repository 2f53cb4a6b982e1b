import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const rows = [
  ...readFileSync("docs/habits.md", "utf8").matchAll(
    /^\| (\d+) \| (.+?) \| (\S+) \| (.+?) \| .+ \|$/gm,
  ),
].map(([, number, habit = "", file = "", title = ""]) => ({ number, habit, file, title }));

test("the habits are numbered without a gap", () => {
  expect(rows.map(({ number }) => Number(number))).toEqual(rows.map((_, index) => index + 1));
  expect(rows).toHaveLength(64);
});

test.each(rows)("$number, $habit: has the browser test that is named", ({ file, title }) => {
  expect(readFileSync(`e2e/${file}.spec.ts`, "utf8")).toContain(title);
});
