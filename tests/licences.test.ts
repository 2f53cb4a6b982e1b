import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

type Entry = { license?: string; dev?: boolean; optional?: boolean };
const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  packages: Record<string, Entry>;
};

// Licences that allow what an install does: run the package unchanged beside Kutip.
const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC-BY-4.0",
  "ISC",
  "LGPL-3.0-or-later",
  "MIT",
  "MIT-0",
  "MPL-2.0",
  "OFL-1.1",
  "PostgreSQL",
  "Python-2.0",
  "Unlicense",
  "Zlib",
]);

// Its LICENSE file is MIT; its package.json names none.
const UNNAMED = ["node_modules/png-js"];

test("every package that an install runs has a licence that allows it", () => {
  const shipped = Object.entries(packages).filter(
    ([at, { dev }]) => at !== "" && !dev && !UNNAMED.includes(at),
  );
  expect(shipped.length).toBeGreaterThan(250);
  const refused = shipped.filter(([, { license, optional }]) =>
    license === undefined
      ? !optional
      : !license.split(/ AND /).every((one) => ALLOWED.has(one.replace(/[()]/g, ""))),
  );
  expect(refused.map(([at, { license }]) => `${at}: ${license}`)).toEqual([]);
});
