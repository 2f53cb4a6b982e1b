import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { listFindings, proseFindings } from "@/scripts/prose.mjs";
import { root } from "@/scripts/stamp.mjs";

// `node scripts/prose.mjs [FOLDER…]` lists what needs rewriting.
test.each([
  ["a tell-tale word in a comment", "lib/a.ts", "// They heard it.\nexport const a = 1;"],
  ["one in a comment beside code", "lib/a.ts", "export const a = 1; // told by the gateway"],
  ["one in a text that people read", "lib/a.ts", 'export const a = "The link is given up now.";'],
  ["one in JSX", "components/a.tsx", "export const A = () => <p>It comes by itself soon.</p>;"],
  ["one in a document", "docs/a.md", "# A\n\nWhoever opens it can pay.\n"],
  ["one in a table", "docs/a.md", "| a | it stands there |\n"],
  ["answers for returns", "lib/a.ts", "/** Answers the payment. */\nexport const a = 1;"],
  ["a sentence of 31 words", "docs/a.md", `${"word ".repeat(30)}end.\n`],
  [
    "a comment of 31 words over two lines",
    "lib/a.ts",
    `// ${"word ".repeat(16)}\n// ${"word ".repeat(14)}end.\n`,
  ],
])("%s is found", (_, file, text) => {
  expect(proseFindings(file, text)).toHaveLength(1);
});

test.each([
  ["a word inside another", "lib/a.ts", "// The household understands.\n"],
  ["a code block", "docs/a.md", "```\nnobody\n```\n"],
  ["code in a sentence", "docs/a.md", "Call `whose(nobody)`.\n"],
  ["SQL", "lib/rows.ts", "export const a = sql`select whose from nobody where told`;"],
  ["a sentence of 30 words", "docs/a.md", `${"word ".repeat(29)}end. And another one.\n`],
  ["an identifier", "lib/a.ts", "export const told = 1;"],
])("%s is left alone", (_, file, text) => {
  expect(proseFindings(file, text)).toEqual([]);
});

test.each(globSync("docs/**/*.md", { cwd: root }))("%s begins with who it is for", (file) => {
  const [, first] = readFileSync(path.join(root, file), "utf8").split(/\n\n/);
  expect(first).toMatch(/^(\*\*)?For /);
});

test("no comment, document or screen text needs rewriting", { timeout: 60_000 }, () => {
  expect(listFindings()).toEqual([]);
});
