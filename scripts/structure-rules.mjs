import path from "node:path";
import { cycles, reached, readModules } from "./structure-graph.mjs";
import { strangeTables } from "./structure-homes.mjs";
import { unscopedImports } from "./structure-scope.mjs";

/** From the lowest layer to the highest; a module imports its own layer and those below. */
const FLOORS = [
  ["0", /^lib\/(contract|kernel|settings)\/|^lib\/env\.ts$/],
  ["1a", /^db\/|^lib\/(jobs|compute)\//],
  ["1b", /^lib\/(gateways|mail|backups)\//],
  ["2a", /^lib\/domain\//],
  ["2b", /^lib\/flows\/[^/]+\//],
  ["3", /^lib\/(http|payer|client|operator|supervisor|worker)\//],
  ["4", /^(app|components)\/|^(server|worker|kutip|compute|proxy|instrumentation)\.ts$/],
];
export const NOUNS = [
  "limits",
  "actors",
  "versions",
  "audit",
  "idempotency",
  "users",
  "gateway-connections",
  "callbacks",
  "businesses",
  "api-keys",
  "integrations",
  "payers",
  "saved-views",
  "events",
  "customers",
  "test-clocks",
  "packages",
  "tokenizations",
  "batches",
  "payment-links",
  "ledger",
  "payments",
  "statements",
  "subscriptions",
  "webhooks",
  "mails",
  "accounts",
  "team",
  "timeline",
  "overview",
  "notifications",
  "search",
  "request-log",
];

const isTest = (file) => /\.test\.tsx?$|^(tests|e2e)\//.test(file);
const isTool = (file) => /^(scripts|deploy)\/|^[\w.-]+\.config\.(ts|mjs)$/.test(file);
const isPayer = (file) => /^app\/\(payer\)\/|^components\/payer\/|^lib\/payer\//.test(file);
const isConsole = (file) =>
  /^app\/\(console\)\/|^lib\/client\//.test(file) || (/^components\//.test(file) && !isPayer(file));
const nounOf = (file) => /^lib\/domain\/([^/]+)\//.exec(file)?.[1];

const roomOf = (file) =>
  (/^lib\/(domain|flows)\/[^/]+(?=\/)/.exec(file) ?? /^lib\/[^/]+|^[^/]+/.exec(file))[0];

/** Rooms as modules that import each other: a noun, a process, or a folder of `lib`. */
function roomsOf(modules) {
  const rooms = new Map();
  for (const module of modules.values()) {
    const room = roomOf(module.file);
    if (isTest(module.file) || isTool(module.file) || !/^(lib|db)\//.test(module.file)) continue;
    if (!rooms.has(room)) rooms.set(room, { imports: [] });
    for (const target of ours(module).map(roomOf))
      if (target !== room) rooms.get(room).imports.push({ target });
  }
  return rooms;
}

/** The place of a file's floor in `FLOORS`; -1 for a file that belongs to no floor. */
export function floorOf(file) {
  return FLOORS.findIndex(([, pattern]) => pattern.test(file));
}

/** The rules of the house: each takes a module and all modules and gives what is wrong with it, in words. */
export const rules = {
  floors: (module) => {
    if (isTest(module.file) || isTool(module.file) || module.file.endsWith(".d.ts")) return [];
    const own = floorOf(module.file);
    if (own < 0) return ["belongs to no floor"];
    return ours(module).flatMap((target) => {
      if (isTest(target) || isTool(target))
        return [`imports ${target}, which is not part of the house`];
      const other = floorOf(target);
      return other > own
        ? [`floor ${FLOORS[own][0]} imports ${target} on floor ${FLOORS[other][0]}`]
        : [];
    });
  },
  cycles: (_, modules, found) =>
    (found.cycles ??= cycles(modules))
      .filter((group) => group[0] === _.file)
      .map((group) => `imports in a circle: ${[...group, group[0]].join(" > ")}`),
  rooms: (module, modules, found) => {
    found.rooms ??= cycles(roomsOf(modules));
    const group = found.rooms.find((rooms) => rooms.includes(roomOf(module.file)));
    return ours(module)
      .map(roomOf)
      .filter((room) => room !== roomOf(module.file) && group?.includes(room))
      .map((room) => `is part of a circle of rooms: it imports ${room}`);
  },
  drizzle: (module) => {
    if (
      /^db\//.test(module.file) ||
      /(^|\/)([a-z-]+-)?rows\.ts$/.test(module.file) ||
      isTest(module.file) ||
      isTool(module.file)
    )
      return [];
    const low = /^lib\/(supervisor|operator|worker|jobs)\//.test(module.file)
      ? /^drizzle-orm(\/|$)/
      : /^(drizzle-orm|pg|postgres)(\/|$)/;
    return packages(module)
      .filter((name) => low.test(name))
      .map(
        (name) => `imports ${name}: SQL lives in db/ and in files named rows.ts or <topic>-rows.ts`,
      );
  },
  environment: (module) => {
    if (module.file === "lib/env.ts" || isTool(module.file) || /^(tests|e2e)\//.test(module.file))
      return [];
    return module.environment ? ["reads process.env: settings come from lib/env.ts"] : [];
  },
  payer: (module, modules) => {
    if (!isPayer(module.file) || isTest(module.file)) return [];
    return [...reached(modules, module.file)]
      .filter(isConsole)
      .map((target) => `payer code reaches ${target} of the dashboard`);
  },
  nouns: (module) => {
    if (isTest(module.file)) return [];
    if (!module.file.startsWith("lib/domain/")) return [];
    const targets = ours(module).filter((target) => target.startsWith("lib/domain/"));
    const own = nounOf(module.file);
    if (own && !NOUNS.includes(own)) return [`the noun ${own} has no place in the order`];
    const place = own ? NOUNS.indexOf(own) : -1;
    return targets
      .filter((target) => NOUNS.indexOf(nounOf(target) ?? "") > place)
      .map((target) => `${own ?? "shared domain code"} imports ${target}, to its right`);
  },
  homes: (module, modules) =>
    isTest(module.file) || isTool(module.file) ? [] : strangeTables(module, modules),
  scope: (module) => (isTest(module.file) || isTool(module.file) ? [] : unscopedImports(module)),
  adapters: (module, modules, shared) => {
    if (!/^lib\/(domain|flows|http|jobs)\//.test(module.file) || isTest(module.file)) return [];
    shared.adapters ??= [
      ...new Set(
        [...modules.keys()].flatMap((file) => /^lib\/gateways\/([^/]+)\//.exec(file)?.[1] ?? []),
      ),
    ];
    return shared.adapters
      .filter((name) => wordOf(name).test(module.text))
      .map((name) => `names the adapter ${name}: only lib/gateways knows its adapters`);
  },
  claims: (module) =>
    !module.file.startsWith("lib/jobs/") &&
    // A trigger's function, which leaves a customer as it is that is being written.
    module.file !== "db/spread-triggers.ts" &&
    // Notes on rows: those of locked ones are written with the next notes.
    module.file !== "db/touch.ts" &&
    !isTest(module.file) &&
    !isTool(module.file) &&
    /skip\s+locked|skipLocked/i.test(module.text)
      ? ["skips locked rows: work is claimed by lib/jobs alone"]
      : [],
  values: (module, modules, shared) => {
    if (!/^(db|lib|components|app)\//.test(module.file) || isTest(module.file)) return [];
    // The contract reads the kernel and the kernel the settings: neither can read the contract.
    if (/^lib\/(contract\/(values|operations)\.ts$|kernel\/|env\.ts$)/.test(module.file)) return [];
    shared.values ??= (modules.get("lib/contract/values.ts")?.wordLists ?? []).map(
      ({ words }) => words,
    );
    const same = (found, { words, ordered }) =>
      ordered ? found.join() === words.join() : found.toSorted().join() === words.toSorted().join();
    return module.wordLists
      .filter((list) => shared.values.some((found) => same(found, list)))
      .map(({ words }) => `writes ${words.join(", ")} again: lib/contract/values.ts has this list`);
  },
  contract: (module) => {
    if (!module.file.startsWith("lib/contract/") || isTest(module.file)) return [];
    const foreign = packages(module).filter((name) => !/^zod(\/|$)/.test(name));
    const inner = ours(module).filter((target) => !/^lib\/(contract|kernel)\//.test(target));
    return [...foreign, ...inner].map((name) => `the contract imports ${name}`);
  },
  routes: (module, modules) => {
    if (!/^app\/(.*\/)?route\.tsx?$/.test(module.file)) return [];
    const found = [module.file, ...reached(modules, module.file)].flatMap((file) =>
      packages(modules.get(file))
        .filter((name) => /^next(\/|$)/.test(name))
        .map((name) => `a route file reaches ${name} by ${file}`),
    );
    if (module.statements.some(({ exported }) => !exported))
      found.push("a route file only exports its methods");
    // The export itself is one more.
    if (module.statements.some(({ count }) => count > 4))
      found.push("a method of a route file has more than three statements");
    return found;
  },
  browser: (module, modules) => {
    // Next.js bundles a page's modules a second time: a page reads by lib/kernel/page-reads.ts.
    if (!module.client && !/^app\/\(console\)\//.test(module.file)) return [];
    return [...reached(modules, module.file)]
      .filter((file) =>
        /^db\/|^lib\/(env\.ts$|domain\/|flows\/|gateways\/|mail\/|jobs\/|http\/|payer\/(?!view\.ts$))/.test(
          file,
        ),
      )
      .map((file) => `a browser module or page reaches ${file}`);
  },
  drawers: (module) => {
    const name = path.posix.basename(module.file).replace(/\.\w+$/, "");
    if (module.barrel) return ["only passes on what others export"];
    return /(^|\/)(utils?|helpers?|misc|common)(\/|$)/.test(
      `${path.posix.dirname(module.file)}/${name}`,
    )
      ? ["a drawer: name it after what is in it"]
      : [];
  },
  length: (module) => {
    const limit = module.file.endsWith(".tsx") ? 300 : 400;
    const lines = module.text.replace(/\n$/, "").split("\n").length;
    return lines > limit ? [`has ${lines} lines, of at most ${limit}`] : [];
  },
  words: (module) => {
    const found = module.any ? ["the type any"] : [];
    for (const [word, pattern] of WORDS) if (pattern.test(module.text)) found.push(word);
    return found.map((word) => `holds ${word}`);
  },
};

/** A name as a word of its own, also within camelCase and CONSTANT_CASE. */
function wordOf(name) {
  const title = name[0].toUpperCase() + name.slice(1);
  return new RegExp(
    `(?<![A-Za-z])${name}(?![a-z])|${title}(?![a-z])|${name.toUpperCase()}(?![A-Za-z])`,
  );
}

const WORDS = [
  ["a note for later", /\b(TO[D]O|FIX[M]E)\b/],
  ["a silenced check", /@ts-(ignore|nocheck)|eslint-disable/],
  ["a test that is left out", /\b(test|it|describe)\.(skip|only|todo|fixme)\b/],
  ["a sleep", /\bwaitForTimeout\b/],
];

/** Everything that breaks a rule, as { rule, file, text }. */
export function checkStructure(files) {
  const modules = readModules(files);
  const shared = {};
  return [...modules.values()].flatMap((module) =>
    Object.entries(rules).flatMap(([rule, check]) =>
      check(module, modules, shared).map((text) => ({ rule, file: module.file, text })),
    ),
  );
}

const ours = (module) => module.imports.flatMap(({ target }) => (target ? [target] : []));
const packages = (module) =>
  module.imports
    .filter(({ name }) => !/^[.@]\/|^\.\.?(\/|$)|^node:|^virtual:/.test(name))
    .map(({ name }) => name);
