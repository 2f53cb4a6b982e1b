// Lists prose that needs rewriting in comments, documents and screen texts: `node scripts/prose.mjs [FOLDER…]`.
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseAst } from "vitest/node";
import { root } from "./stamp.mjs";
import { walk } from "./structure-graph.mjs";

const MAX_SENTENCE_WORDS = 30;
const MIN_TEXT_WORDS = 3;

/** Words that usually show that a sentence needs rewriting. */
export const TELL_TALES = [
  "told",
  "tells? of",
  "heard",
  "begun",
  "stands",
  "stand in",
  "ours",
  "whoever",
  "whose",
  "nobody",
  "somebody",
  "by itself",
  "there is none",
  "no longer anything",
  "that which",
  "given up",
  "looked after",
  "believed",
].map((words) => new RegExp(`\\b${words}\\b`, "i"));

// In a comment, `answers` is what a function returns.
const ANSWERS =
  /(?:^|[.;:] )answers (?:a|an|the|its|how|what|whether|which|with|null|undefined|true)\b/i;

const SOURCES = [
  "{app,app/.well-known,components,db,deploy,e2e,lib,scripts,tests}/**/*.{ts,tsx,mjs}",
  "*.{ts,mjs,md}",
  "docs/**/*.md",
  ".github/**/*.{md,yml}",
];
// Generated, quoted, or about these words.
const LEFT_OUT = [
  "LICENSE",
  "next-env.d.ts",
  "lib/contract/operations.ts",
  "lib/contract/summaries.ts",
  "lib/contract/common-passwords.ts",
  "scripts/prose.mjs",
  "tests/prose.test.ts",
];

/** Every file with prose in it, as a path from the root. */
const proseFiles = () =>
  globSync(SOURCES, { cwd: root })
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => !LEFT_OUT.includes(file) && !/node_modules|\.next/.test(file))
    .sort();

/** What needs rewriting in a file: { line, kind: "word" | "long", text }. */
export function proseFindings(file, text) {
  const texts = file.endsWith(".md")
    ? documentTexts(text)
    : file.endsWith(".yml")
      ? []
      : [...commentTexts(text), ...(isTest(file) ? [] : screenTexts(file, text))];
  return texts.flatMap(({ line, prose, comment }) => [
    ...TELL_TALES.filter((pattern) => pattern.test(prose)).map((pattern) => ({
      line,
      kind: "word",
      text: pattern.exec(prose)[0],
    })),
    ...(comment && ANSWERS.test(prose)
      ? [{ line, kind: "word", text: ANSWERS.exec(prose)[0] }]
      : []),
    ...sentences(prose)
      .filter((sentence) => wordsIn(sentence) > MAX_SENTENCE_WORDS)
      .map((sentence) => ({ line, kind: "long", text: sentence })),
  ]);
}

const isTest = (file) => /^(tests|e2e)\/|\.test\.tsx?$/.test(file);

const wordsIn = (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** A colon or a semicolon ends no sentence; an abbreviation's stop has a small letter behind it. */
const sentences = (prose) =>
  prose.split(/(?<=[.!?]["”’)*_]*)\s+(?=[\p{Lu}\p{N}`“"([*_])/u).filter(Boolean);

/** Code in a sentence counts as one word. */
const plain = (text) =>
  text
    .replace(/`[^`]*`/g, "`code`")
    .replace(/\]\([^)]*\)/g, "]")
    .replace(/https?:\/\/\S+/g, "address");

/** Paragraphs, list items and table cells of a document; code blocks are left out. */
function documentTexts(text) {
  const found = [];
  let paragraph = null;
  let fenced = false;
  const end = () => {
    if (paragraph) found.push({ line: paragraph.line, prose: plain(paragraph.parts.join(" ")) });
    paragraph = null;
  };
  for (const [index, source] of text.split("\n").entries()) {
    const line = index + 1;
    if (/^\s*(```|~~~)/.test(source)) {
      end();
      fenced = !fenced;
      continue;
    }
    if (fenced) continue;
    if (/^\s*\|/.test(source)) {
      end();
      for (const cell of source.split("|")) found.push({ line, prose: plain(cell.trim()) });
    } else if (source.trim() === "" || /^\s*(#|<!--|---)/.test(source)) {
      end();
      if (/^\s*#/.test(source)) found.push({ line, prose: plain(source) });
    } else {
      if (/^\s*([*+-]|\d+\.)\s/.test(source)) end();
      paragraph ??= { line, parts: [] };
      paragraph.parts.push(source.trim().replace(/^([*+-]|\d+\.)\s+/, ""));
    }
  }
  end();
  return found;
}

/** Comments that have a line of their own; lines that follow each other are one text. */
function commentTexts(text) {
  const found = [];
  let block = null;
  const end = () => {
    if (block) found.push({ line: block.line, prose: plain(block.parts.join(" ")), comment: true });
    block = null;
  };
  let inside = false;
  for (const [index, source] of text.split("\n").entries()) {
    const line = source.trim();
    const opens = !inside && /^\{?\/\*/.test(line);
    if (!inside && !opens && !line.startsWith("//")) {
      end();
      const beside = /\s\/\/ ([^"'`]*[a-z]{3}[^"'`]*)$/.exec(source);
      if (beside) found.push({ line: index + 1, prose: plain(beside[1]), comment: true });
      continue;
    }
    if (opens) end();
    block ??= { line: index + 1, parts: [] };
    const part = line.replace(/^(\{?\/\*\*?|\/\/|\*(?!\/))\s?/, "").replace(/\*\/\}?.*$/, "");
    if (part.trim() === "") {
      const at = block.line;
      end();
      block = { line: at, parts: [] };
    } else block.parts.push(part.replace(/^[*-] /, ""));
    inside = (inside || opens) && !line.includes("*/");
    if (!inside && opens) end();
  }
  end();
  return found;
}

/** Texts in the code that people read: string and template literals of some words, and the text of JSX. */
function screenTexts(file, text) {
  const found = [];
  const lang = file.endsWith(".tsx") ? "tsx" : file.endsWith(".mjs") ? "js" : "ts";
  const add = (node, value) => {
    const prose = plain(value.replace(/\s+/g, " ").trim());
    const isCode =
      /\b(select|insert into|update)\b.*\b(from|values|set)\b/s.test(value) ||
      (/\n/.test(value) && / = |^\s*[A-Z ]+\n/.test(value)) ||
      /[{;]\s*[\w.-]+[:{(]|\{ /.test(value);
    if (isCode || wordsIn(prose) < MIN_TEXT_WORDS || !/\p{L}{2} \p{L}/u.test(prose)) return;
    found.push({ line: text.slice(0, node.start).split("\n").length, prose });
  };
  walk(parseAst(text, { lang, astType: "ts" }, file), null, (node, parent) => {
    if (node.type === "JSXText") add(node, node.value);
    if (node.type === "Literal" && typeof node.value === "string" && !isStyle(parent))
      add(node, node.value);
    if (node.type === "TemplateLiteral" && parent?.type !== "TaggedTemplateExpression")
      add(node, node.quasis.map(({ value }) => value.cooked ?? "").join("X"));
  });
  return found;
}

const isStyle = (parent) =>
  parent?.type === "JSXAttribute" && /^(className|style|d)$/.test(parent.name.name);

/** What needs rewriting in the files below `folders`, as lines of file, place and reason; in all files without folders. */
export const listFindings = (folders = []) =>
  proseFiles()
    .filter((file) => folders.length === 0 || folders.some((folder) => file.startsWith(folder)))
    .flatMap((file) =>
      proseFindings(file, readFileSync(path.join(root, file), "utf8")).map(
        ({ line, kind, text }) =>
          `${file}:${line}: ${kind === "word" ? `"${text}"` : `over 30 words: ${text}`}`,
      ),
    );

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  for (const finding of listFindings(process.argv.slice(2))) console.log(finding);
