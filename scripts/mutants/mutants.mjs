import { createHash } from "node:crypto";
import { parseAst } from "vitest/node";

const SWAPS = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  eq: "ne",
  ne: "eq",
  lt: "lte",
  lte: "lt",
  gt: "gte",
  gte: "gt",
};
const GUARDS_CLAIM = /fence|\b(isHeld|held|assertHeld|deleteHeld)\(/;
const LOCK = /^for (no key )?update\b/;
const BARE = new Set(["ReturnStatement", "ContinueStatement", "BreakStatement"]);

/**
 * All mutants of a source, by position. `id` names the change and stays when lines move. A test can notice the mutant only when it
 * reaches one of `at`, which are places in `sites`. The last site is the end of the module.
 */
export function mutantsOf(file, text) {
  const found = [];
  const sites = [];
  const add = (operator, node, replacement, header = "") =>
    found.push({ operator, start: node.start, end: node.end, replacement, header });

  const visit = (node, parents) => {
    if (/^TS(?!AsExpression|SatisfiesExpression|NonNullExpression)/.test(node.type)) return;
    const site = siteOf(node, parents.at(-1));
    if (site) sites.push(site);
    mutate(node, parents, text, add);
    if (isLog(node)) return;
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? value : [value])
        if (child && typeof child.type === "string" && typeof child.start === "number")
          visit(child, [...parents, node]);
  };
  const program = parseAst(text, { lang: "ts", astType: "ts" }, file);
  visit(program, []);
  const uses = (one) => {
    const name = declaredBy(
      program.body.find(({ start, end }) => start <= one.start && end >= one.end),
    );
    const users = name
      ? [...sites.keys()].filter((at) =>
          new RegExp(`\\b${name}\\b`).test(text.slice(sites[at].start, sites[at].end)),
        )
      : [];
    return users.length > 0 ? users : [sites.length];
  };

  const seen = new Map();
  found.sort(
    (a, b) => a.start - b.start || a.end - b.end || (a.replacement < b.replacement ? -1 : 1),
  );
  const mutants = found.map(({ header, ...one }) => {
    const line = text.slice(0, one.start).split("\n").length;
    const original = text.slice(one.start, one.end);
    const key = [
      file,
      one.operator,
      text.split("\n")[line - 1].trim(),
      original,
      one.replacement,
    ].join("\0");
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    const id = createHash("sha256").update(`${key}\0${nth}`).digest("hex").slice(0, 12);
    const inside = innermost(sites, one);
    const code = header + text.slice(0, one.start) + one.replacement + text.slice(one.end);
    return { id, file, line, original, ...one, at: inside < 0 ? uses(one) : [inside], code };
  });
  return { mutants, sites: [...sites, { start: text.length, end: text.length, arrow: false }] };
}

/** The source with a call of `reached(number)` at every site, so that a run records which tests come there. */
export function instrument(text, sites, firstNumber) {
  const inserts = sites.flatMap(({ start, end, arrow }, at) => {
    const call = `globalThis.mutantSites.add(${firstNumber + at})`;
    return arrow
      ? [
          { at: start, order: 0, text: `(${call}, ` },
          { at: end, order: -1, text: ")" },
        ]
      : [{ at: start, order: 1, text: `${call};` }];
  });
  inserts.sort((a, b) => b.at - a.at || b.order - a.order);
  return inserts.reduce((code, one) => code.slice(0, one.at) + one.text + code.slice(one.at), text);
}

/** A statement in a function, or the value of an arrow function. */
function siteOf(node, parent) {
  if (!parent) return null;
  if (
    parent.type === "ArrowFunctionExpression" &&
    parent.body === node &&
    node.type !== "BlockStatement"
  )
    return { start: node.start, end: node.end, arrow: true };
  const inBlock =
    parent.type === "BlockStatement" || (parent.type === "SwitchCase" && parent.test !== node);
  return inBlock && node.type !== "FunctionDeclaration"
    ? { start: node.start, end: node.end, arrow: false }
    : null;
}

/** The name that a statement of a module declares. */
function declaredBy(statement) {
  const one = statement?.declaration ?? statement;
  return one?.id?.name ?? one?.declarations?.[0]?.id?.name;
}

function innermost(sites, { start, end }) {
  let best = -1;
  for (const [at, site] of sites.entries())
    if (
      site.start <= start &&
      site.end >= end &&
      (best < 0 || site.end - site.start <= sites[best].end - sites[best].start)
    )
      best = at;
  return best;
}

const conditionOf = (source) => (GUARDS_CLAIM.test(source) ? "drop a fence" : "drop a condition");

const isLog = (node) =>
  node.type === "CallExpression" &&
  node.callee.type === "MemberExpression" &&
  node.callee.object.name === "log";

function mutate(node, parents, text, add) {
  const parent = parents.at(-1);
  const source = (one) => text.slice(one.start, one.end);
  switch (node.type) {
    case "IfStatement":
    case "ConditionalExpression":
      for (const value of ["true", "false"]) add(conditionOf(source(node.test)), node.test, value);
      return;
    case "LogicalExpression":
      for (const side of node.operator === "??" ? [node.left] : [node.left, node.right])
        add(conditionOf(source(node)), node, `(${source(side)})`);
      return;
    case "BinaryExpression":
      // Both values of a whole condition are mutants already.
      if (SWAPS[node.operator] && !(parent?.test === node && /==/.test(node.operator))) {
        const gap = text.slice(node.left.end, node.right.start);
        const start = node.left.end + gap.indexOf(node.operator);
        add(
          "swap a comparison",
          { start, end: start + node.operator.length },
          SWAPS[node.operator],
        );
      }
      return;
    case "AwaitExpression":
      add("drop an await", node, `(${source(node.argument)})`);
      return;
    case "Literal":
      constant(node, parent, add);
      return;
    case "ExpressionStatement":
      if (!isLog(node.expression) && !node.directive)
        add(
          /\b(assert|delete)Held\(/.test(source(node)) ? "drop a fence" : "drop a statement",
          node,
          ";",
        );
      return;
    case "ThrowStatement":
      add("drop a statement", node, ";");
      return;
    case "CallExpression":
      call(node, text, add);
      return;
    case "TemplateLiteral":
      if (parent?.type === "TaggedTemplateExpression") statement(node, text, add);
      return;
    default:
      if (BARE.has(node.type) && !node.argument && parent.type !== "SwitchCase")
        add("drop a statement", node, ";");
  }
}

function constant(node, parent, add) {
  const key = parent?.type === "Property" && parent.key === node && !parent.computed;
  if (key || parent?.type === "ImportDeclaration") return;
  if (typeof node.value === "number") add("change a constant", node, String(node.value + 1));
  else if (LOCK.test(node.value) && parent.callee?.property?.name === "raw")
    add("drop a lock", node, '""');
  else if (typeof node.value === "boolean") add("change a constant", node, String(!node.value));
}

function call(node, text, add) {
  const { callee } = node;
  const source = (one) => text.slice(one.start, one.end);
  if (callee.type === "MemberExpression" && !callee.computed) {
    const rest = { start: callee.object.end, end: node.end };
    const { name } = callee.property;
    if (name === "for") add("drop a lock", rest, "");
    if (/^(where|onConflictDoNothing)$/.test(name)) add("drop a condition", rest, "");
  }
  if (callee.type !== "Identifier") return;
  if (SWAPS[callee.name] && node.arguments.length === 2)
    add(
      "swap a comparison",
      callee,
      `other.${SWAPS[callee.name]}`,
      'import * as other from "drizzle-orm";',
    );
  // `owned(ctx, table, ...conditions)` is an `and` that begins with business and mode.
  if (/^(and|or|owned)$/.test(callee.name))
    for (const one of node.arguments.slice(callee.name === "owned" ? 2 : 0))
      if (one.type !== "SpreadElement") add(conditionOf(source(one)), one, "undefined");
}

const KEYWORDS =
  /^(and|or|where|order|limit|for|returning|group|having|union|from|on|set|when|then|else|end|as|do|select|window)\b/i;

/** The conditions, locks, comparisons and numbers in the text of an SQL statement. */
function statement(node, text, add) {
  const { start, end } = node;
  const covered = node.expressions.map((one) => {
    const from = text.lastIndexOf("${", one.start);
    return { start: from, end: text.indexOf("}", one.end) + 1 };
  });
  const skip = (at) => covered.find((one) => one.start === at);
  let term = null;
  const depths = [];
  const close = (at) => {
    if (!term) return;
    const raw = text.slice(term.start, at);
    const range = { start: term.start, end: term.start + raw.trimEnd().length };
    if (raw.trim()) add(conditionOf(raw), range, "true");
    term = null;
  };
  let between = false;
  for (let at = start + 1; at < end - 1; at++) {
    const hole = skip(at);
    if (hole) {
      at = hole.end - 1;
      continue;
    }
    const rest = text.slice(at, end - 1);
    if (rest[0] === "(") depths.push(term);
    if (rest[0] === "(") term = null;
    else if (rest[0] === ")") {
      close(at);
      term = depths.pop() ?? null;
    } else if (rest[0] === "'") {
      const ends = rest.indexOf("'", 1);
      const number = /^'(\d+) /.exec(rest);
      if (number)
        add(
          "change a constant",
          { start: at + 1, end: at + 1 + number[1].length },
          String(Number(number[1]) + 1),
        );
      at += Math.max(ends, 0);
    } else if (!/\w/.test(text[at - 1] ?? " ")) {
      const lock = /^for (no key )?update( of (\w+|\$\{[^}]*\}))?( skip locked)?/i.exec(rest);
      const word = KEYWORDS.exec(rest)?.[1].toLowerCase();
      const number = /^\d+\b/.exec(rest)?.[0];
      if (/^between\b/i.test(rest)) between = true;
      else if (lock) {
        close(at);
        add("drop a lock", { start: at, end: at + lock[0].length }, "");
        at += lock[0].length - 1;
      } else if (word === "and" && between) between = false;
      else if (word) {
        close(at);
        if (word === "where" || word === "and" || word === "having") {
          const from = at + word.length;
          term = { start: from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0) };
        }
        at += word.length - 1;
      } else if (number) {
        add(
          "change a constant",
          { start: at, end: at + number.length },
          String(Number(number) + 1),
        );
        at += number.length - 1;
      }
    }
    const compared = /^ (<=|>=|<|>) /.exec(text.slice(at, end - 1));
    if (compared)
      add(
        "swap a comparison",
        { start: at + 1, end: at + 1 + compared[1].length },
        SWAPS[compared[1]],
      );
  }
  close(end - 1);
}
