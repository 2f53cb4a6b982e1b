import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import listed from "@/scripts/mutants/equivalent.json" with { type: "json" };
import { readKept, stillTrue, textOfKept } from "@/scripts/mutants/kept.mjs";
import { instrument, mutantsOf } from "@/scripts/mutants/mutants.mjs";
import { filesInScope } from "@/scripts/mutants/scope.mjs";

const changes = (text: string) =>
  mutantsOf("a.ts", text).mutants.map(({ operator, original, replacement }) => [
    operator,
    original.trim(),
    replacement,
  ]);

test.each([
  ["if (a) b();", ["drop a condition", "a", "true"], ["drop a condition", "a", "false"]],
  ["x = a && b;", ["drop a condition", "a && b", "(a)"], ["drop a condition", "a && b", "(b)"]],
  ["x = and(one, two);", ["drop a condition", "one", "undefined"]],
  ["x = from(t).where(one);", ["drop a condition", ".where(one)", ""]],
  ["x = sql`select where a = 1 and b = ${c}`;", ["drop a condition", "b = ${c}", "true"]],
  ["x = from(t).for('update');", ["drop a lock", ".for('update')", ""]],
  [
    "x = sql`select 1 for no key update of t skip locked`;",
    ["drop a lock", "for no key update of t skip locked", ""],
  ],
  [
    "x = and(eq(t.id, id), eq(t.fence, fence));",
    ["drop a fence", "eq(t.fence, fence)", "undefined"],
  ],
  ["async () => { await assertHeld(tx); };", ["drop a fence", "await assertHeld(tx);", ";"]],
  [
    "x = sql`update t where id = 1 and t.fence = c.fence`;",
    ["drop a fence", "t.fence = c.fence", "true"],
  ],
  ["x = a < b;", ["swap a comparison", "<", "<="]],
  ["x = a === b;", ["swap a comparison", "===", "!=="]],
  ["x = lte(t.at, now);", ["swap a comparison", "lte", "other.lt"]],
  ["x = sql`select a <= b`;", ["swap a comparison", "<=", "<"]],
  ["async () => { await a(); };", ["drop an await", "await a()", "(a())"]],
  ["x = 60_000;", ["change a constant", "60_000", "60001"]],
  ["x = true;", ["change a constant", "true", "false"]],
  ["x = sql`interval '15 minutes'`;", ["change a constant", "15", "16"]],
  ["() => { a(); };", ["drop a statement", "a();", ";"]],
  ["() => { throw a; };", ["drop a statement", "throw a;", ";"]],
])("%s is changed in each named way", (text, ...expected) => {
  expect(changes(text)).toEqual(expect.arrayContaining(expected));
});

test("what only a reader of the log notices is not changed", () => {
  expect(changes("export const f = () => { log.warn({ id: 1 }, 'late'); };")).toEqual([]);
});

test("a mutant keeps its id when lines move", () => {
  const text = "export const f = (a: number) => a < 3 && a > 1;\n";
  const ids = (source: string) => mutantsOf("a.ts", source).mutants.map(({ id }) => id);
  expect(ids(`\n\n${text}`)).toEqual(ids(text));
  expect(new Set(ids(text + text.replace("f =", "g =")))).toHaveLength(2 * ids(text).length);
});

test("an instrumented source says which of its sites ran, and does what it did", () => {
  const text =
    "export const f = (a) => (a ? 1 : 2);\nfunction g(a) {\n  if (a) return f(a);\n  return 3;\n}\n";
  const { mutants, sites } = mutantsOf("a.ts", text);
  const mutantSites = new Set<number>();
  Object.assign(globalThis, { mutantSites });
  const code = instrument(text, sites, 10).replace("export ", "");
  const g = new Function(`${code}; return g;`)() as (a: unknown) => number;
  mutantSites.clear();
  expect(g(0)).toBe(3);
  const reached = (line: number) =>
    mutants
      .filter((one) => one.line === line)
      .every(({ at }) => mutantSites.has(10 + (at[0] ?? -1)));
  expect([reached(1), reached(3), reached(4)]).toEqual([false, true, true]);
});

const everything = () =>
  filesInScope(".").flatMap((file) => mutantsOf(file, readFileSync(file, "utf8")).mutants);

test("what is listed as equivalent exists, is at most 3 % of all mutants, and has a reason each", () => {
  const all = everything();
  const known = new Map(all.map((one) => [one.id, one]));
  for (const [id, { mutant, reason }] of Object.entries<{ mutant: string; reason: string }>(
    listed,
  )) {
    expect([id, known.get(id)?.file]).toEqual([id, mutant.split(":")[0]]);
    expect(reason.length).toBeGreaterThan(20);
  }
  expect(Object.keys(listed).length / all.length).toBeLessThanOrEqual(0.03);
});

test("what is kept of runs has a line for each mutant, in order, and names only mutants and test files that exist", () => {
  const all = everything();
  const kept = stillTrue(readKept(), all);
  expect(
    textOfKept(kept, all),
    "`node scripts/mutants/run.mjs --prune` takes out what no longer exists",
  ).toBe(readFileSync("scripts/mutants/results.json", "utf8"));
  for (const killer of kept.values()) expect(killer ?? "a.test.ts").toMatch(/\.test\.tsx?$/);
});

test("a line is kept while its mutant and its test file exist", () => {
  const { mutants } = mutantsOf("b.ts", "export const f = (a: number) => a < 3 && a > 1;");
  const [one, other] = mutants as [{ id: string }, { id: string }];
  const kept = new Map([
    [one.id, "tests/mutants.test.ts"],
    [other.id, "tests/removed.test.ts"],
    ["000000000000", null],
  ]);
  expect(stillTrue(kept, mutants)).toEqual(new Map([[one.id, "tests/mutants.test.ts"]]));
  expect(textOfKept(stillTrue(kept, mutants), mutants)).toBe(
    `{\n  "b.ts": {\n    "${one.id}": "tests/mutants.test.ts"\n  }\n}\n`,
  );
});
