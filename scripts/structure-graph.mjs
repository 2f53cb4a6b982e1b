import path from "node:path";
import { parseAst } from "vitest/node";

const EXTENSIONS = ["", ".ts", ".tsx", ".mjs", ".d.ts", "/index.ts", "/index.tsx"];

/** Reads sources ([path, text] pairs, paths from the root) into modules with their imports, as the compiler sees them. */
export function readModules(files) {
  const known = new Set(files.map(([file]) => file));
  return new Map(files.map(([file, text]) => [file, readModule(file, text, known)]));
}

/** Every module of this repository that a module reaches through imports, without itself. */
export function reached(modules, from) {
  const seen = new Set();
  const walk = (file) => {
    for (const { target } of modules.get(file)?.imports ?? []) {
      if (!target || seen.has(target)) continue;
      seen.add(target);
      walk(target);
    }
  };
  walk(from);
  return seen;
}

/** Groups of modules that import each other in a circle. */
export function cycles(modules) {
  const found = [];
  const state = new Map();
  const stack = [];
  let count = 0;
  const visit = (file) => {
    const own = { index: count, low: count++, open: true };
    state.set(file, own);
    stack.push(file);
    for (const { target } of modules.get(file)?.imports ?? []) {
      if (!target || !modules.has(target)) continue;
      if (target === file) found.push([file]);
      const other = state.get(target);
      if (!other) own.low = Math.min(own.low, visit(target).low);
      else if (other.open) own.low = Math.min(own.low, other.index);
    }
    if (own.low === own.index) {
      const group = stack.splice(stack.indexOf(file));
      for (const member of group) state.get(member).open = false;
      if (group.length > 1) found.push(group.reverse());
    }
    return own;
  };
  for (const file of modules.keys()) if (!state.has(file)) visit(file);
  return found;
}

function readModule(file, text, known) {
  const module = {
    file,
    text,
    imports: [],
    any: false,
    environment: false,
    barrel: false,
    client: /^\s*["']use client["']/.test(text),
    /** Lists and unions of words, each as its words joined by blanks. */
    wordLists: [],
    /** Tables that the module declares. */
    tables: [],
    /** Statements besides imports, one by one and with those inside. */
    statements: [],
    /** Names that an insert, update or delete is written to. */
    written: new Set(),
  };
  const program = parseAst(
    text,
    { lang: file.endsWith(".tsx") ? "tsx" : file.endsWith(".mjs") ? "js" : "ts", astType: "ts" },
    file,
  );
  const from = (source, names = []) => {
    if (typeof source?.value === "string")
      module.imports.push({
        name: source.value,
        target: resolve(file, source.value, known),
        names,
      });
  };
  walk(program, null, (node, parent) => {
    if (
      /^(Import|Export(Named|All))Declaration$|^ImportExpression$|^TSImportType$/.test(node.type) &&
      node.source
    )
      from(node.source, importedNames(node));
    if (node.type === "TSExternalModuleReference") from(node.expression);
    if (node.type === "TSAnyKeyword") module.any = true;
    if (readsEnvironment(node, parent)) module.environment = true;
    const words = wordsOf(node);
    if (words) module.wordLists.push({ words, ordered: node.type === "ArrayExpression" });
    if (node.type === "VariableDeclarator" && isTable(node.init)) module.tables.push(node.id.name);
    for (const name of writtenBy(node)) module.written.add(name);
  });
  const body = program.body;
  module.statements = body
    .filter((node) => !/^ImportDeclaration$/.test(node.type))
    .map((node) => ({
      exported: node.type === "ExportNamedDeclaration",
      count: countStatements(node),
    }));
  module.barrel =
    body.length > 0 &&
    body.every((node) => /^Export(Named|All)Declaration$/.test(node.type) && node.source);
  return module;
}

function countStatements(top) {
  let count = 0;
  walk(top, null, (node, parent) => {
    // `if (a) b();` is one.
    if (parent?.type === "IfStatement") return;
    if (/(?<!Block)Statement$|^(Variable|Function)Declaration$/.test(node.type)) count++;
  });
  return count;
}

/** What an import takes: `local` is its name in the module, `type` whether only the compiler sees it. */
function importedNames(node) {
  return (node.specifiers ?? []).map((one) => ({
    name: one.imported?.name ?? (one.type === "ImportSpecifier" ? one.local.name : "*"),
    local: one.local?.name,
    type: (one.importKind ?? node.importKind) === "type" || node.importKind === "type",
  }));
}

function wordsOf(node) {
  const parts =
    node.type === "ArrayExpression"
      ? node.elements
      : node.type === "TSUnionType"
        ? node.types.map((one) => (one.type === "TSLiteralType" ? one.literal : null))
        : [];
  if (parts.length < 2) return null;
  return parts.every((one) => one?.type === "Literal" && typeof one.value === "string")
    ? parts.map((one) => one.value)
    : null;
}

const isTable = (init) =>
  init?.type === "CallExpression" &&
  (init.callee.name === "pgTable" || init.callee.property?.name === "table");

/** Names behind `insert(…)`, `update(…)` and `delete(…)`, and those after the same words in a template. */
function writtenBy(node) {
  if (node.type === "CallExpression" && node.callee.type === "MemberExpression")
    return /^(insert|update|delete)$/.test(node.callee.property.name ?? "") &&
      node.arguments[0]?.type === "Identifier"
      ? [node.arguments[0].name]
      : [];
  if (node.type !== "TemplateLiteral") return [];
  return node.expressions.flatMap((one, index) =>
    one.type === "Identifier" &&
    /\b(update|insert into|delete from)\s+$/i.test(node.quasis[index].value.raw)
      ? [one.name]
      : [],
  );
}

// `process` may stand for anything but its environment, so any use that hides what is read from it counts as reading it.
function readsEnvironment(node, parent) {
  if (node.type === "ImportDeclaration") return /^(node:)?process$/.test(node.source.value);
  if (node.type === "MetaProperty")
    return parent?.type === "MemberExpression" && parent.property?.name === "env";
  if (node.type !== "Identifier" || node.name !== "process") return false;
  if (parent?.type === "MemberExpression" && parent.object === node) {
    const key = parent.computed ? parent.property.value : parent.property.name;
    return typeof key !== "string" || key === "env";
  }
  if (parent?.type === "MemberExpression" && parent.property === node)
    return parent.object.name === "globalThis" || parent.object.name === "global";
  return (
    parent?.type === "VariableDeclarator" ||
    parent?.type === "CallExpression" ||
    parent?.type === "AssignmentExpression"
  );
}

/** Calls `visit` with every node below one and with its parent. */
export function walk(node, parent, visit) {
  visit(node, parent);
  for (const key of Object.keys(node)) {
    const value = node[key];
    if (Array.isArray(value)) for (const one of value) one?.type && walk(one, node, visit);
    else if (value?.type) walk(value, node, visit);
  }
}

function resolve(file, name, known) {
  const base = name.startsWith("@/")
    ? name.slice(2)
    : /^\.\.?(\/|$)/.test(name)
      ? path.posix.join(path.posix.dirname(file), name)
      : null;
  if (base === null) return null;
  return (
    EXTENSIONS.map((extension) => `${base}${extension}`).find((candidate) =>
      known.has(candidate),
    ) ?? null
  );
}
