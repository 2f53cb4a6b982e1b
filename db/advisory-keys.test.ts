import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { advisoryKeys } from "./advisory-keys";

/** The first argument of each call that takes an advisory lock. */
const keysIn = (text: string) =>
  [...text.matchAll(/pg_(?:try_)?advisory_(?:xact_)?lock(?:_shared)?\((.{0,24})/g)].map(
    ([, key = ""]) => key,
  );

test("no two advisory locks have the same number, and none can be a hash of 32 bits", () => {
  const numbers = Object.values(advisoryKeys);
  expect(new Set(numbers).size).toBe(numbers.length);
  for (const number of numbers) expect(number).toBeGreaterThan(2 ** 31);
});

test("every advisory lock has a number of that list, or the hash of a text", () => {
  const files = globSync("{app,db,lib,scripts}/**/*.{ts,mjs,sql}", {
    exclude: (name) => /\.test\.ts$/.test(name),
  });
  const taking = files.flatMap((file) => {
    const text = readFileSync(file, "utf8");
    return keysIn(text).map((key) => ({ file, text, key }));
  });
  expect(taking.length).toBeGreaterThan(8);
  for (const { file, text, key } of taking)
    if (!key.startsWith("hashtext"))
      expect(text, `${file} takes pg_advisory_lock(${key}`).toMatch(/\badvisoryKeys\.\w+/);
});
