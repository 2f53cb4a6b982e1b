import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { parseSync } from "oxc-parser";
import { expect, test } from "vitest";

const withoutDescriptions = createRequire(import.meta.url)("../scripts/contract-loader.cjs") as (
  this: { resourcePath: string },
  source: string,
) => string;
const load = (source: string) => withoutDescriptions.call({ resourcePath: "one.ts" }, source);

test.each([
  ['z.string().describe("A text").max(3)', "z.string().max(3)"],
  ['z.string().meta({ description: "A text" })', "z.string()"],
  ['z.string().meta({ id: "One", description: "A text" })', 'z.string().meta({ id: "One" })'],
  ['z.string().meta({ description: "A text", id: "One" })', 'z.string().meta({ id: "One" })'],
  ["z.int().meta({ description: `of many`, examples: [1] })", "z.int().meta({ examples: [1] })"],
  ["z.object({ description: z.string() })", "z.object({ description: z.string() })"],
  ["schema.meta()?.examples", "schema.meta()?.examples"],
  [
    'endpoint({ id: "one", description: "It does.", response: A.describe("An A") })',
    'endpoint({ id: "one", response: A })',
  ],
  ['endpoint({ id: "one", description: "It does." })', 'endpoint({ id: "one" })'],
])("of %s a browser gets %s", (source, wanted) => {
  expect(load(source)).toBe(wanted);
});

test("what is left of each file of the contract is sound, and loading it again leaves nothing out", () => {
  const folder = path.join(import.meta.dirname, "../lib/contract");
  for (const file of globSync("*.ts", { cwd: folder })) {
    const source = readFileSync(path.join(folder, file), "utf8");
    const made = load(source);
    expect([file, parseSync(file, made).errors]).toEqual([file, []]);
    expect([file, load(made)]).toEqual([file, made]);
    expect(made.length, file).toBeLessThanOrEqual(source.length);
  }
});
