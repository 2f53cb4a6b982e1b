import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");
const text = readFileSync(path.join(root, "docs/threat-model.md"), "utf8");
const attacks = text
  .split("\n| Attack |")
  .slice(1)
  .flatMap((table) => (table.split("\n\n")[0] ?? "").split("\n").slice(2));
const testsIn = (row: string) =>
  [...row.matchAll(/`([\w./-]+\.(?:test|spec)\.tsx?)`/g)].map(([, name = ""]) => name);

test("every attack in the threat model names a test, and every named test exists", () => {
  expect(attacks.length).toBeGreaterThan(20);
  for (const row of attacks) {
    expect(testsIn(row), row).not.toEqual([]);
    for (const name of testsIn(row)) expect(existsSync(path.join(root, name)), name).toBe(true);
  }
});

test("the table of ASVS has all seventeen chapters, and says that some packages have no hash", () => {
  for (let chapter = 1; chapter <= 17; chapter++) expect(text).toContain(`\n| V${chapter} `);
  expect(text).toContain("entries of the lockfile have no hash");
});

test("README and SECURITY lead to the threat model", () => {
  for (const name of ["README.md", "SECURITY.md"])
    expect(readFileSync(path.join(root, name), "utf8")).toContain("docs/threat-model.md");
});
