import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { type Migration, readMigrations } from "./migration-files";

function read(text: string): Migration | undefined {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-one-"));
  try {
    mkdirSync(path.join(folder, "meta"));
    writeFileSync(path.join(folder, "0000_one.sql"), text);
    writeFileSync(
      path.join(folder, "meta/_journal.json"),
      JSON.stringify({ entries: [{ tag: "0000_one", when: 1 }] }),
    );
    return readMigrations(folder)[0];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const BREAKPOINT = "\n--> statement-breakpoint\n";

test("a migration says how it runs", () => {
  expect(read(`create table a (id int);${BREAKPOINT}-- a note\n`)).toMatchObject({
    statements: ["create table a (id int);"],
    batches: false,
  });
  expect(
    read('CREATE UNIQUE INDEX CONCURRENTLY "a_b" ON "x"."a" USING btree ("b") WHERE "b" > 0;'),
  ).toMatchObject({
    index: {
      unique: true,
      name: "a_b",
      table: '"x"."a"',
      definition: 'USING btree ("b") WHERE "b" > 0',
    },
  });
  expect(read("-- kutip: batches\nupdate a set b = 1 where b is null;")).toMatchObject({
    batches: true,
  });
  expect(read("-- kutip: oldest-writer 1.2.0\nalter table a drop column b;")).toMatchObject({
    oldestWriter: "1.2.0",
    statements: [expect.stringContaining("drop column")],
  });
});

test.each([
  ["create index concurrently a_b on a (b);", "create table c (id int);"],
  ["-- kutip: batches\nupdate a set b = 1 where b is null;", "create table c (id int);"],
])("a concurrent index and a backfill need a file of their own", (one, other) => {
  expect(() => read(`${one}${BREAKPOINT}${other}`)).toThrow(/file of its own/);
});

test("nothing else runs outside a transaction", () => {
  expect(() => read("drop index concurrently a_b;")).toThrow(/outside a transaction/);
});

test("every migration of this version can be read", () => {
  expect(readMigrations().length).toBeGreaterThan(5);
});
