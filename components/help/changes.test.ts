import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { newestChanges } from "./changes";

test("the newest version's parts and entries, each entry as one line", () => {
  const changelog = `# Changelog

## [2.0]

### Added
- One thing
  in two lines.
- Another \`thing\`.

### Changed

### Fixed
- A fault.

## [1.0]

### Added
- Old.
`;
  expect(newestChanges(changelog)).toEqual([
    { heading: "Added", entries: ["One thing in two lines.", "Another `thing`."] },
    { heading: "Fixed", entries: ["A fault."] },
  ]);
  expect(newestChanges("")).toEqual([]);
});

test("the changelog of this version can be read", () => {
  expect(newestChanges(readFileSync("CHANGELOG.md", "utf8")).length).toBeGreaterThan(0);
});
