import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { getTableName } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/pg-core";
import { expect, test } from "vitest";
import { pool } from "@/db/client";
import { SEALED_COLUMNS } from "@/db/sealed-columns";

const sources = ["app", "db", "lib"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes(".test."))
    .map((name) => readFileSync(path.join(folder, name), "utf8")),
);

test("every purpose for which something is sealed has a column in the list", () => {
  const listed = new Set<string>(SEALED_COLUMNS.map(({ purpose }) => purpose));
  const sealed = sources.flatMap((text) =>
    [...text.matchAll(/\bseal\((?:[^;]*?),\s*"(\w+)",?\s*\)/gs)].map(([, purpose = ""]) => purpose),
  );
  expect(sealed.length).toBeGreaterThan(10);
  expect([...new Set(sealed)].filter((purpose) => !listed.has(purpose))).toEqual([]);
});

test("every column that the schema calls sealed or encrypted is in the list", () => {
  const listed = SEALED_COLUMNS.map(({ column }) => column.name);
  const described = readdirSync("db/schema").flatMap((name) =>
    [
      ...readFileSync(path.join("db/schema", name), "utf8").matchAll(
        /\/\*\*[^*]*\bsealed\b[^*]*\*\/\s*\w+: text\("(\w+)"\)/gi,
      ),
    ].map(([, column = ""]) => column),
  );
  expect(described.length).toBeGreaterThan(5);
  expect(described.filter((column) => !listed.includes(column))).toEqual([]);
});

test("each listed column is text of a table with a primary key, in the database too", async () => {
  for (const { column } of SEALED_COLUMNS) {
    const { schema = "public" } = getTableConfig(column.table as never);
    const { rows } = await pool().query<{ type: string; keys: number }>(
      `select a.atttypid::regtype::text as type,
         (select count(*)::int from pg_index where indrelid = a.attrelid and indisprimary) as keys
       from pg_attribute a where a.attrelid = format('%I.%I', $1::text, $2::text)::regclass and a.attname = $3`,
      [schema, getTableName(column.table), column.name],
    );
    expect(rows).toEqual([{ type: "text", keys: 1 }]);
  }
});
