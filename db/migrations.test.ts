import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const folder = path.join(import.meta.dirname, "migrations");
const json = <T>(name: string) => JSON.parse(readFileSync(path.join(folder, name), "utf8")) as T;
const { entries } = json<{ entries: { tag: string; when: number }[] }>("meta/_journal.json");
const released = json<Record<string, string>>("released.json");

test.each(Object.entries(released))("released migration %s is unchanged", (tag, hash) => {
  const text = readFileSync(path.join(folder, `${tag}.sql`));
  expect(createHash("sha256").update(text).digest("hex")).toBe(hash);
});

test("the journal names every migration, the released ones first", () => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  expect(entries.map(({ tag }) => `${tag}.sql`)).toEqual(files.sort());
  expect(entries.slice(0, Object.keys(released).length).map(({ tag }) => tag)).toEqual(
    Object.keys(released),
  );
});

test("each migration is younger than the one before it, or Drizzle would skip it", () => {
  const times = entries.map(({ when }) => when);
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
});
