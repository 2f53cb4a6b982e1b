import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const pages = globSync("app/(console)/b/**/page.tsx").filter((file) =>
  /(\[\w+_id\]|statement)\/page\.tsx$/.test(file),
);

test("each page of a record names its tab after the record", () => {
  expect(pages.length).toBeGreaterThan(12);
  const unnamed = pages.filter((file) => {
    const [, drawn] = /"@\/(components\/[\w/-]+\/(?:detail|[\w-]+-(?:detail|page)))"/.exec(
      readFileSync(file, "utf8"),
    ) ?? [""];
    return !drawn || !readFileSync(`${drawn}.tsx`, "utf8").includes("useTitle(");
  });
  expect(unnamed).toEqual([]);
});
