import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

import { readMigrations } from "./migration-files";

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

// This migration and those before it run offline, in the upgrade to 1.0.0-rc.1. `db:generate` writes no NOT VALID: add it by hand.
const LAST_OFFLINE = "0020_erase_payer";
const CREATED = /create table (?:if not exists )?([\w.]+)/gi;
const unsafe: [RegExp, string][] = [
  [/create (unique )?index (?!concurrently)/i, "build the index concurrently"],
  [
    /add constraint(?=.*\b(check|foreign key)\b)(?!.*not valid)/i,
    "add the constraint NOT VALID and validate it in the next migration",
  ],
  [/alter column .* set not null/i, "validate a CHECK first"],
  [/alter column .* (set data )?type /i, "add a column of the new type"],
  [/\brename\b/i, "add the new name, and drop the old one a release later"],
  [/add column(?=.*not null)(?!.*default)/i, "give the column a default or let it be null"],
];

/** An existing table that a statement locks against writers. */
const LOCKED = /(?:alter table (?:only )?|(?:create|drop) trigger .*? on )([\w.]+)/gi;

const FUNCTION = /^(?:\s*--.*\n)*\s*create (?:or replace )?function /i;

/** What keeps processes of the version before from serving while a migration runs, in words. */
function problems(written: readonly string[], oldestWriter: string | undefined): string[] {
  // What a function does, the migration does not. With and without quotes it is the same table.
  const statements = written
    .filter((text) => !FUNCTION.test(text))
    .map((text) => text.replaceAll('"', "").replaceAll(/\s+/g, " "));
  const all = statements.join("\n");
  const created = [...all.matchAll(CREATED)].map(([, table]) => table ?? "");
  const locked = [...all.matchAll(LOCKED)].map(([, table]) => table ?? "");
  const existing = new Set(locked.filter((table) => !created.includes(table)));
  const order =
    existing.size > 1
      ? ["change one table a migration: writers lock several in another order"]
      : [];
  const found = statements.flatMap((text) => {
    if (/\bdrop (column|table)\b/i.test(text) && oldestWriter === undefined)
      return ["say with oldest-writer who may still write"];
    // A table that the migration itself creates has no rows and no readers.
    if (created.some((table) => new RegExp(`(on|table) (only )?${table} `, "i").test(text)))
      return [];
    return unsafe.filter(([form]) => form.test(text)).map(([, advice]) => advice);
  });
  return [...order, ...found];
}

test.each(readMigrations().filter(({ tag }) => tag > LAST_OFFLINE))(
  "$tag lets the version before go on serving",
  ({ statements, oldestWriter }) => {
    expect(problems(statements, oldestWriter)).toEqual([]);
  },
);

test.each([
  'CREATE INDEX "a_b" ON "a" USING btree ("b");',
  'ALTER TABLE "a" ADD CONSTRAINT "a_b" CHECK (b > 0);',
  'ALTER TABLE "a" ADD CONSTRAINT "a_c" FOREIGN KEY ("c") REFERENCES "public"."c"("id");',
  'ALTER TABLE "a" ALTER COLUMN "b" SET NOT NULL;',
  'ALTER TABLE "a" ALTER COLUMN "b" SET DATA TYPE date USING b::date;',
  'ALTER TABLE "a" RENAME COLUMN "b" TO "c";',
  'ALTER TABLE "a" ADD COLUMN "b" integer NOT NULL;',
  'ALTER TABLE "a" DROP COLUMN "b";',
])("a migration with %s would stop older processes", (statement) => {
  expect(problems([statement], undefined)).toHaveLength(1);
});

test.each([
  'CREATE INDEX CONCURRENTLY "a_b" ON "a" USING btree ("b");',
  'ALTER TABLE "a" ADD CONSTRAINT "a_b" CHECK (b > 0) NOT VALID;',
  'ALTER TABLE "a" VALIDATE CONSTRAINT "a_b";',
  'ALTER TABLE "a" ADD COLUMN "b" integer DEFAULT 1 NOT NULL;',
  'ALTER TABLE "a" ADD COLUMN "b" text;',
  "-- a note\nCREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN DROP TABLE a; END $$;",
])("%s lets them serve", (statement) => {
  expect(problems([statement], undefined)).toEqual([]);
});

test("a migration that locks two tables could deadlock with a writer of both", () => {
  const trigger = (table: string) =>
    `CREATE TRIGGER t AFTER INSERT ON ${table}\nFOR EACH ROW EXECUTE FUNCTION f();`;
  expect(problems([trigger("a"), trigger("b")], undefined)).toHaveLength(1);
  expect(problems([trigger("a"), "ALTER TABLE a ADD COLUMN b text;"], undefined)).toEqual([]);
});

test("a new table takes any index and constraint", () => {
  const statements = [
    'CREATE TABLE "a" ("b" int);',
    'CREATE INDEX "a_b" ON "a" USING btree ("b");',
    'ALTER TABLE "a" ADD CONSTRAINT "a_c" CHECK (b > 0);',
  ];
  expect(problems(statements, undefined)).toEqual([]);
});
