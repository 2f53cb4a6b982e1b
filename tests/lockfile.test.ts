import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

type Entry = {
  version?: string;
  integrity?: string;
  optional?: boolean;
  link?: boolean;
  os?: string[];
  cpu?: string[];
};
const root = path.join(import.meta.dirname, "..");
const read = (name: string) => readFileSync(path.join(root, name), "utf8");
const packagesOf = (name: string) =>
  Object.entries((JSON.parse(read(name)) as { packages: Record<string, Entry> }).packages).filter(
    ([at, entry]) => at !== "" && !entry.link,
  );
const fitsHere = ({ os, cpu }: Entry) =>
  (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true);

test("every package that is installed here has the hash that the lockfile asks for", () => {
  const wanted = new Map(packagesOf("package-lock.json"));
  const installed = packagesOf("node_modules/.package-lock.json").filter(([at]) =>
    existsSync(path.join(root, at)),
  );
  expect(installed.length).toBeGreaterThan(300);
  const unlike = installed.filter(
    ([at, { integrity }]) => !integrity || integrity !== wanted.get(at)?.integrity,
  );
  expect(unlike.map(([at]) => at)).toEqual([]);
});

test("an entry of the lockfile without a hash is an optional package of a foreign platform, which is not installed", () => {
  const unhashed = packagesOf("package-lock.json").filter(([, { integrity }]) => !integrity);
  for (const [at, entry] of unhashed) {
    expect(entry.optional, at).toBe(true);
    expect(existsSync(path.join(root, at)), at).toBe(false);
    expect(fitsHere(entry) && !at.includes("musl"), at).toBe(false);
  }
});

test("packages come by the lockfile alone: a refused `npm ci` is the end", () => {
  const calls = [...read("scripts/bootstrap.mjs").matchAll(/npm\(\["(\w+)"/g)].map(
    ([, command]) => command,
  );
  expect(calls).toEqual(["ci"]);
});
