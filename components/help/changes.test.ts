import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { versionsOf } from "./changes";

test("each version's parts and entries, the newest first, each entry as one line", () => {
  const changelog = `# Changelog

## [2.0] - 2026-11-20

### Added
- One thing
  in two lines.
- Another \`thing\`.

### Changed

### Fixed
- A fault.

## [1.1]

## [1.0]

### Added
- Old.
`;
  expect(versionsOf(changelog)).toEqual([
    {
      name: "2.0 - 2026-11-20",
      changes: [
        { heading: "Added", entries: ["One thing in two lines.", "Another `thing`."] },
        { heading: "Fixed", entries: ["A fault."] },
      ],
    },
    { name: "1.0", changes: [{ heading: "Added", entries: ["Old."] }] },
  ]);
  expect(versionsOf("")).toEqual([]);
});

test("the changelog of this version can be read", () => {
  expect(versionsOf(readFileSync("CHANGELOG.md", "utf8")).length).toBeGreaterThan(0);
});
